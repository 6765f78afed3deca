// The example server under the official client, over real standard input and output.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { shared } from "./shared.js";

const EXAMPLE = fileURLToPath(new URL("../example/server.js", import.meta.url));

/** A client of the example server over the whole corpus, and the directory that the server offloads to. */
async function connected(t, info = {}, capabilities = {}) {
  const directory = shared.temporary();
  const client = new Client({ name: "test", version: "1", ...info }, { capabilities });
  const args = [EXAMPLE, shared("fixtures/mif-memories.json"), directory];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  t.after(() => client.close());
  const call = (name, given) => client.callTool({ name, arguments: given });
  return { client, call, directory };
}

test("a large recall is offloaded and answered through lro_extract", async (t) => {
  const { call, directory } = await connected(t);
  const { structuredContent: response, content } = await call("recall_memories", { query: "memory", detail: "full" });
  assert.equal(response.offloaded, true);
  assert.deepEqual(JSON.parse(content[0].text), response);
  assert.equal(response.summary.operation, "recall");
  assert.equal(dirname(dirname(response.file_path)), directory);
  const lines = readFileSync(response.file_path, "utf8").trim().split("\n");
  assert.equal(lines.length - 1, response.summary.count);
  assert.match(response.guidance, /lro_extract/);

  const asked = { file_path: response.file_path, query: 'select(.memory_type == "procedural") | .id' };
  const { structuredContent: page } = await call("lro_extract", asked);
  const procedural = lines.slice(1).map((line) => JSON.parse(line)).filter(({ memory_type }) => memory_type === "procedural");
  assert.ok(procedural.length > 0);
  assert.deepEqual(page.results, procedural.map(({ id }) => id).slice(0, page.results.length));
});

test("a small recall is inline and as the tool made it", async (t) => {
  const { call, directory } = await connected(t);
  const result = await call("recall_memories", { query: "memory", limit: 2 });
  assert.equal(result.structuredContent.memories.length, 2);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.deepEqual(readdirSync(directory), []);
});

test("a structured result validates, small or offloaded", async (t) => {
  const { client, call } = await connected(t);
  // The client validates against the schemas that it has been told.
  const { tools } = await client.listTools();
  assert.equal(tools.find(({ name }) => name === "search").outputSchema, undefined);
  const small = await call("search", { query: "redis", limit: 1 });
  assert.equal(typeof small.structuredContent.hits[0].score, "number");
  const large = await call("search", { query: "memory ontology" });
  assert.equal(large.structuredContent.offloaded, true);
  const [low, high] = large.structuredContent.summary.score_range;
  assert.ok(low <= high && high <= 1);
  assert.doesNotMatch(readFileSync(large.structuredContent.file_path, "utf8").split("\n")[1], /"score":/);
});

test("our tools are listed after the server's", async (t) => {
  const { client } = await connected(t);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 4), ["recall_memories", "search", "list_memories", "inject_context"]);
  assert.deepEqual(names.slice(-4), ["lro_describe", "lro_extract", "lro_read", "lro_search"]);
});

test("the decision falls before a cursor is made", async (t) => {
  const { call } = await connected(t);
  const { structuredContent: offloaded } = await call("list_memories", {});
  assert.equal(offloaded.offloaded, true);
  assert.equal(offloaded.summary.count, 362);
  assert.equal("next_cursor" in offloaded, false);

  const seen = [];
  let cursor;
  do {
    const { structuredContent: page } = await call("list_memories", { namespace: "_semantic", ...(cursor && { cursor }) });
    assert.equal("offloaded" in page, false);
    seen.push(...page.memories.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);
  const all = JSON.parse(readFileSync(shared("fixtures/mif-memories.json"))).filter(({ namespace }) => namespace?.startsWith("_semantic"));
  assert.ok(all.length > 5, `${all.length} memories need no second page`);
  assert.deepEqual(seen, all.map(({ id }) => id));
});

test("inject_context gives the formatted text, or the response instead", async (t) => {
  const { call } = await connected(t);
  const { content: large, structuredContent } = await call("inject_context", { query: "memory" });
  assert.equal(structuredContent.offloaded, true);
  assert.doesNotMatch(large[0].text, /# Context/);
  const { content: small } = await call("inject_context", { query: "nothing-has-this-word" });
  assert.deepEqual(small, [{ type: "text", text: "# Context\n" }]);
});

test("a wrong filter, a foreign file and a hostile filter are told, and the server goes on", async (t) => {
  const { call } = await connected(t);
  const { structuredContent: response } = await call("recall_memories", { query: "", detail: "full" });
  const wrong = await call("lro_extract", { file_path: response.file_path, query: ".memory_typ" });
  assert.match(JSON.stringify(wrong.structuredContent ?? wrong.content), /memory_type/);
  const foreign = await call("lro_extract", { file_path: "/etc/passwd", query: "." });
  assert.equal(foreign.isError, true);
  const endless = await call("lro_extract", { file_path: response.file_path, query: "last(range(1e12))" });
  assert.equal(endless.isError, true);
  assert.match(endless.content[0].text, /stopped: it (ran longer|took more) than/);
  const after = await call("lro_extract", { file_path: response.file_path, recipe: 6 });
  assert.ok(after.structuredContent.count > 0);
});

for (const [where, info, capabilities] of [
  ["clientInfo", { proxy: true }, {}],
  ["an experimental capability", {}, { experimental: { proxy: { enabled: true } } }],
]) {
  test(`a client with proxy: true in ${where} gets full results`, async (t) => {
    const { client, call, directory } = await connected(t, info, capabilities);
    const { structuredContent } = await call("recall_memories", { query: "", detail: "full" });
    assert.equal(structuredContent.memories.length, 362);
    assert.equal((await client.listTools()).tools.length, 4);
    assert.equal((await call("list_memories", {})).structuredContent.memories.length, 5);
    assert.match((await call("inject_context", { query: "memory" })).content[0].text, /^# Context/);
    assert.deepEqual(readdirSync(directory), []);
  });
}
