// Code that calls tools gets their rows; a model on the same server gets responses.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

import { offloadLargeResults } from "../src/mcp.js";
import { shared } from "./shared.js";

const ROWS = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}`, state: id % 3 ? "open" : "closed" }));

async function connected(t, name) {
  const server = new McpServer({ name: "rows", version: "1" });
  const outputSchema = { rows: z.array(z.object({ id: z.number(), name: z.string(), state: z.string() })) };
  server.registerTool("rows", { outputSchema }, () => ({
    content: [{ type: "text", text: JSON.stringify({ rows: ROWS }) }],
    structuredContent: { rows: ROWS },
  }));
  const offloading = await offloadLargeResults(server, { outputDir: shared.temporary(), codeCallers: ["runner", "script"] });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name, version: "1" });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  t.after(async () => {
    await client.close();
    await offloading.close();
  });
  return client;
}

const listed = async (client) => Object.fromEntries((await client.listTools()).tools.map((tool) => [tool.name, tool]));

test("a client that is code gets rows and schemas, and our tools", async (t) => {
  const client = await connected(t, "runner");
  const { rows, lro_extract: extract } = await listed(client);
  assert.ok(rows.outputSchema && extract);
  assert.deepEqual((await client.callTool({ name: "rows" })).structuredContent, { rows: ROWS });
});

test("a request that says who wants its result gets rows if its caller is listed", async (t) => {
  const client = await connected(t, "chat");
  assert.equal((await listed(client)).rows.outputSchema, undefined);
  const called = async (_meta) => (await client.callTool({ name: "rows", _meta })).structuredContent;
  assert.deepEqual(await called({ "lro/caller": "script" }), { rows: ROWS });
  for (const meta of [{ "lro/caller": "anyone" }, { "lro/caller": ["script"] }, {}]) assert.equal((await called(meta)).offloaded, true);
});
