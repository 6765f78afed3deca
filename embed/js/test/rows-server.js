// A server of the official SDK that knows nothing of offloading: a large result, and a small one.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "rows", version: "1" });
const text = (text) => ({ content: [{ type: "text", text }] });
const rows = Array.from({ length: 2000 }, (_, id) => ({ id, name: `row ${id}`, state: id % 3 ? "open" : "closed" }));
server.registerTool("rows", {}, () => text(JSON.stringify(rows)));
server.registerTool("small", {}, () => text("three"));
await server.connect(new StdioServerTransport());
