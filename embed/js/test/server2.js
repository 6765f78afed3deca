// A server of the SDK's second version: alone, over standard input and output.

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

import { largeResults, offloadLargeResults } from "../src/mcp.js";

export const ROWS = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}`, state: id % 3 ? "open" : "closed" }));

/** A server with a large result, a small one, an error, and a tool that asks before it answers. */
export function build(large) {
  const server = new McpServer({ name: "rows", version: "1" });
  const text = (value) => ({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] });
  server.registerTool("rows", {}, () => text(ROWS));
  server.registerTool("small", {}, () => text("three"));
  server.registerTool("fails", {}, () => ({ ...text(ROWS.slice(0, 9)), isError: true }));
  server.registerTool("asks", {}, async (context) => text((await large().offload({ operation: "asks", records: ROWS }, context)).text));
  return server;
}

if (process.argv[1] === import.meta.filename) {
  const [outputDir, how] = process.argv.slice(2);
  if (how === "alone") {
    // As a server of the first version says it, with a server for each connection.
    serveStdio(async () => {
      const server = build(() => large);
      const large = await offloadLargeResults(server, { outputDir });
      return server;
    });
  } else {
    const large = await largeResults({ outputDir });
    serveStdio(() => large.attach(build(() => large)));
  }
}
