// A server on standard input and output behind HTTP, for the official conformance suite: a process for each session.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** Serves a command; answers its URL, and how to end it. */
export async function bridge([program, ...args]) {
  const sessions = new Map();
  const children = [];

  async function session() {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    children.push(child);
    transport.onmessage = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
    // A client that has gone does not listen.
    createInterface(child.stdout).on("line", (line) => transport.send(JSON.parse(line)).catch(() => {}));
    await transport.start();
    return transport;
  }

  const server = createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    await (known ?? await session()).handleRequest(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    children.forEach((child) => child.kill());
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close };
}
