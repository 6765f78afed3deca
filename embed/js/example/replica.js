// One of several equal servers behind a load balancer, whose large results are in a Redis that all of them reach:
//
//   node example/replica.js PORT redis://HOST:PORT

import { createServer } from "node:http";

import KeyvRedis from "@keyv/redis";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { Keyv } from "keyv";
import { largeResults } from "lro-component/mcp";

const [port, url] = process.argv.slice(2);
const rows = Array.from({ length: 2000 }, (_, id) => ({ id, title: `row ${id}`, even: id % 2 === 0 }));

// The two lines: all servers of this process share it, and all processes share the store.
const large = await largeResults({ store: new Keyv({ store: new KeyvRedis(url), namespace: "lro" }) });

function build() {
  const server = new McpServer({ name: "rows", version: "1" });
  server.registerTool("rows", {}, () => ({ content: [{ type: "text", text: JSON.stringify(rows) }] }));
  return large.attach(server);
}

// A server for each request: no replica knows of the requests before.
createServer(toNodeHandler(createMcpHandler(build))).listen(Number(port), "127.0.0.1");
