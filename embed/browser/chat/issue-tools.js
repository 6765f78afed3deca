// An MCP server, for tests: a tool with a large result, and a resource of its own where that is wanted.

import { McpServer } from "@modelcontextprotocol/server";

import { issues } from "./issues.js";

export function issueServer({ hasResources = false } = {}) {
  const server = new McpServer({ name: "issues", version: "1" });
  server.registerTool("list_issues", { description: "Lists all issues" }, () => ({ content: [{ type: "text", text: JSON.stringify(issues(300)) }] }));
  if (hasResources) {
    server.registerResource("notes", "note://first", { mimeType: "text/plain" }, (uri) => ({ contents: [{ uri: uri.href, text: "a note" }] }));
  }
  return server;
}
