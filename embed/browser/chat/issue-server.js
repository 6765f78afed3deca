// An MCP server, for tests: a tool with a large result, and a resource of its own where its argument says so.

import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

import { issues } from "./issues.js";

const server = new McpServer({ name: "issues", version: "1" });
server.registerTool("list_issues", { description: "Lists all issues" }, () => ({ content: [{ type: "text", text: JSON.stringify(issues(300)) }] }));
if (process.argv[2] === "with-resources") {
  server.registerResource("notes", "note://first", { mimeType: "text/plain" }, (uri) => ({ contents: [{ uri: uri.href, text: "a note" }] }));
}
await server.connect(new StdioServerTransport());
