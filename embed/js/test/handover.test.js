// Results that go from one tool of a server to the next without passing through the model (USER-11).

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { offloadLargeResults } from "../src/mcp.js";
import { shared } from "./shared.js";

const ROWS = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}`, state: id % 3 ? "open" : "closed" }));
const TOOLS = [
  { name: "rows", inputSchema: { type: "object", properties: { limit: { type: "integer" } } } },
  { name: "take", inputSchema: { type: "object", properties: { content: { type: "string" }, rows: { type: "array" } } } },
];

/** A server with a tool that returns rows and one that takes them, and what that one has got. */
async function connected(t, options, info = {}) {
  const got = [];
  const server = new Server({ name: "rows", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === "take") got.push(params.arguments);
    return { content: [{ type: "text", text: params.name === "rows" ? JSON.stringify(ROWS) : "taken" }] };
  });
  const offloading = await offloadLargeResults(server, { outputDir: shared.temporary(), ...options });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1", ...info });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  t.after(async () => {
    await client.close();
    await offloading.close();
  });
  const call = (name, given) => client.callTool({ name, arguments: given });
  return { client, call, got };
}

test("a result is handed to another tool, as its schema wants", async (t) => {
  const { client, call, got } = await connected(t, { resolveArguments: true });
  const { tools } = await client.listTools();
  assert.match(tools.find(({ name }) => name === "lro_extract").description, /lro:\/\//);
  const { structuredContent: response } = await call("rows", {});
  assert.deepEqual(response.refine, ["limit"]);
  const part = { $lro: { file_path: response.file_path, where: ["id<2"], select: ["id"] } };
  const answer = await call("take", { content: `lro://${response.file_path}`, rows: part, other: 1 });
  assert.equal(answer.content[0].text, "taken");
  assert.deepEqual(got, [{ content: JSON.stringify(ROWS), rows: [{ id: 0 }, { id: 1 }], other: 1 }]);
});

test("what cannot be handed over never reaches the tool", async (t) => {
  const { call, got } = await connected(t, { resolveArguments: true });
  const refused = await call("take", { content: "lro:///etc/passwd" });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /outside the output directory/);
  assert.deepEqual(got, []);
  await call("take", { content: "lro is a word" });
  assert.deepEqual(got, [{ content: "lro is a word" }]);
});

test("nothing is handed over by default", async (t) => {
  const { call, got } = await connected(t, {});
  await call("take", { content: "lro:///etc/passwd" });
  assert.deepEqual(got, [{ content: "lro:///etc/passwd" }]);
});
