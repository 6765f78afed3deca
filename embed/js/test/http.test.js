// Decision 30 over HTTP, with the official transport and client: offloading is off unless the file system is shared or
// our tools are offered.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

import { offloadLargeResults } from "../src/mcp.js";
import { shared } from "./shared.js";

const ROWS = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}`, state: id % 3 ? "open" : "closed" }));

/** A client of a server with one large tool. */
async function connected(t, options, clientInfo = {}) {
  const outputDir = shared.temporary();
  const server = new McpServer({ name: "rows", version: "1" });
  server.registerTool("rows", {}, () => ({ content: [{ type: "text", text: JSON.stringify(ROWS) }] }));
  const large = await offloadLargeResults(server, { outputDir, ...options });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  const http = createServer((request, response) => transport.handleRequest(request, response));
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  const client = new Client({ name: "test", version: "1", ...clientInfo });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${http.address().port}/mcp`)));
  t.after(async () => {
    await client.close();
    await server.close();
    await large.close();
    http.closeAllConnections();
    http.close();
  });
  return { client, outputDir };
}

for (const [what, options, clientInfo, isOffloaded, tools] of [
  ["with our tools it is on, and the guidance names them", {}, {}, true, "with ours"],
  ["without them it is off", { offerTools: false }, {}, false, "alone"],
  ["without them, with a shared file system, it is on", { offerTools: false, sharedFileSystem: true }, {}, true, "alone"],
  ["with a client that is a proxy it is off", {}, { proxy: true }, false, "alone"],
]) {
  test(`over HTTP, ${what}`, async (t) => {
    const { client, outputDir } = await connected(t, options, clientInfo);
    const { content } = await client.callTool({ name: "rows", arguments: {} });
    const answer = JSON.parse(content[0].text);
    assert.equal(readdirSync(outputDir).length, isOffloaded ? 1 : 0);
    if (!isOffloaded) assert.deepEqual(answer, ROWS);
    else assert.equal(/lro_extract/.test(answer.guidance), tools === "with ours", answer.guidance);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.equal(names.includes("lro_extract"), tools === "with ours", String(names));
    if (isOffloaded && tools === "with ours") {
      const given = { file_path: answer.file_path, query: 'select(.state == "closed") | .id', limit: 3 };
      const { structuredContent } = await client.callTool({ name: "lro_extract", arguments: given });
      assert.deepEqual(structuredContent.results, [0, 3, 6]);
    }
  });
}

test("settings of single tools hold", async (t) => {
  const never = await connected(t, { tools: { rows: { offload: "never" } } });
  const { content } = await never.client.callTool({ name: "rows", arguments: {} });
  assert.deepEqual(JSON.parse(content[0].text), ROWS);
  const high = await connected(t, { tools: { rows: { thresholdTokens: 100_000 } } });
  assert.deepEqual(JSON.parse((await high.client.callTool({ name: "rows", arguments: {} })).content[0].text), ROWS);
});

test("expired files are deleted while the server runs", async (t) => {
  const events = [];
  let expired;
  const gone = new Promise((resolve) => (expired = resolve));
  const onEvent = (event) => {
    events.push(event.name);
    if (event.name === "OffloadFileExpired") expired();
  };
  const { client, outputDir } = await connected(t, { ttlSeconds: 0, cleanupEveryMs: 50, onEvent });
  await client.callTool({ name: "rows", arguments: {} });
  await gone;
  assert.deepEqual(readdirSync(outputDir), [], String(events));
});

test("a tool of the server with our tool's name is told", async (t) => {
  const server = new McpServer({ name: "own", version: "1" });
  server.registerTool("lro_extract", {}, () => ({ content: [] }));
  const large = await offloadLargeResults(server, { outputDir: shared.temporary() });
  t.after(() => large.close());
  const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js");
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(theirs);
  await assert.rejects(client.listTools(), /lro_extract/);
  await client.close();
});
