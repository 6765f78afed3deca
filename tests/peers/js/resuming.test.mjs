// A server of the official SDK that ends its streams in the middle, with an event store.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { folder } from "./peers.mjs";

/** Events by stream, in the order in which they came; the SDK's example sorts those of one millisecond by chance. */
class Events {
  events = [];

  async storeEvent(stream, message) {
    this.events.push({ stream, message });
    return `${this.events.length - 1}`;
  }

  async replayEventsAfter(last, { send }) {
    const { stream } = this.events[Number(last)];
    for (const [id, event] of this.events.entries()) {
      if (id > Number(last) && event.stream === stream && Object.keys(event.message).length > 0) await send(`${id}`, event.message);
    }
    return stream;
  }
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A server whose tools say something, lose their stream by `cut`, and answer later. */
async function breaking(t, cut, retryInterval) {
  const seen = { gets: [], cuts: 0 };
  const sockets = new Set();
  const server = new McpServer({ name: "breaking", version: "1.0.0" }, { capabilities: { logging: {} } });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, eventStore: new Events(), retryInterval });
  server.registerTool("slow", {}, async (extra) => {
    const say = (data) => extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
    for (let n = 0; n < 6; n++) {
      await say(n);
      await wait(20);
      if (n % 2) { cut({ extra, sockets }); seen.cuts++; }
      await wait(60);
    }
    const issues = Array.from({ length: 1000 }, (_, id) => ({ id, title: `Issue ${id}` }));
    return { content: [{ type: "text", text: JSON.stringify(issues) }] };
  });
  await server.connect(transport);
  const http = createServer(async (request, response) => {
    if (request.method === "GET") seen.gets.push(request.headers["last-event-id"]);
    const of = { method: request.method, last: request.headers["last-event-id"], socket: request.socket };
    sockets.add(of);
    response.on("close", () => sockets.delete(of));
    await transport.handleRequest(request, response);
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(() => { http.closeAllConnections(); http.close(); });
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, seen };
}

const cuts = {
  "on purpose": ({ extra }) => extra.closeSSEStream(),
  // All but the stream of the server's own.
  "by the line": ({ sockets }) => {
    for (const { method, last, socket } of sockets) if (method === "POST" || last !== undefined) socket.destroy();
  },
};

for (const [how, cut] of Object.entries(cuts)) {
  test(`an answer whose stream is ended ${how} arrives, and everything before it arrives once`, async (t) => {
    const { url, seen } = await breaking(t, cut, how === "on purpose" ? 30 : undefined);
    const client = new Client({ name: "lro-peers", version: "1.0.0" });
    const said = [];
    client.fallbackNotificationHandler = ({ params }) => { said.push(params.data); };
    const transport = new StdioClientTransport({
      command: process.env.LRO, args: ["proxy", "--output-dir", join(folder(t), "results"), "--url", url], stderr: "inherit",
      env: process.env,
    });
    t.after(() => client.close());
    await client.connect(transport);
    const result = await client.callTool({ name: "slow" });
    assert.equal(result.structuredContent.summary.count, 1000);
    assert.deepEqual(said, [0, 1, 2, 3, 4, 5]);
    assert.equal(seen.cuts, 3);
    const resumed = seen.gets.filter((last) => last !== undefined);
    assert.ok(resumed.length >= 1, `${seen.gets}`);
  });
}
