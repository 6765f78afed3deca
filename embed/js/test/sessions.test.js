// One session for each conversation, with the official transports and clients: its files are its own, and end with it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

import { Lro } from "../src/index.js";
import { offloadLargeResults } from "../src/mcp.js";
import { shared } from "./shared.js";

const EXAMPLE = fileURLToPath(new URL("../example/server.js", import.meta.url));
const ROWS = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}`, state: id % 3 ? "open" : "closed" }));
const FEW = "x".repeat(5000);

/** A server over HTTP: one for each session, or one for each request of a client. */
async function served(t, options, { isStateless = false } = {}) {
  const lro = await Lro.open({ outputDir: shared.temporary(), ...options.settings });
  const transports = new Map();
  const open = async () => {
    const server = new McpServer({ name: "rows", version: "1" });
    server.registerTool("rows", {}, () => ({ content: [{ type: "text", text: JSON.stringify(ROWS) }] }));
    server.registerTool("few", {}, () => ({ content: [{ type: "text", text: FEW }] }));
    const { settings, ...others } = options;
    await offloadLargeResults(server, { lro, ...others });
    const generated = isStateless ? undefined : randomUUID;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: generated,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  const http = createServer(async (request, response) => {
    const transport = transports.get(request.headers["mcp-session-id"]) ?? (await open());
    if (isStateless) response.on("close", () => void transport.close());
    await transport.handleRequest(request, response);
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    http.closeAllConnections();
    http.close();
    await lro.close();
  });
  return { outputDir: lro.outputDir, url: new URL(`http://127.0.0.1:${http.address().port}/mcp`) };
}

async function connected(url, headers = {}) {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return { client, transport };
}

async function offloaded(client, _meta) {
  const { structuredContent } = await client.callTool({ name: "rows", arguments: {}, ...(_meta && { _meta }) });
  return structuredContent.file_path;
}

async function reads(client, filePath) {
  const given = { file_path: filePath, query: "length", slurp: true };
  const { structuredContent, isError, content } = await client.callTool({ name: "lro_extract", arguments: given });
  if (isError) return content[0].text;
  assert.deepEqual(structuredContent.results, [500]);
  return "read";
}

/** Waits until something holds: the end of a session is not waited for by its client. */
async function soon(holds) {
  for (let turn = 0; turn < 500 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}

test("conversations over HTTP see their own files only, and each ends with its own", async (t) => {
  const { url, outputDir } = await served(t, {});
  const [one, other] = [await connected(url), await connected(url)];
  const [first, second] = await Promise.all([one, other].map(({ client }) => offloaded(client)));
  assert.equal(dirname(dirname(first)), outputDir);
  assert.match(basename(dirname(first)), /^[a-z2-7]{12}$/);
  assert.notEqual(dirname(first), dirname(second));
  for (const file of [first, basename(first)]) assert.equal(await reads(one.client, file), "read");
  assert.match(await reads(one.client, second), /it belongs to another conversation/);
  assert.match(await reads(other.client, join(outputDir, basename(first))), /it belongs to another conversation/);
  await one.transport.terminateSession();
  await one.client.close();
  await soon(() => !existsSync(dirname(first)));
  assert.equal(await reads(other.client, second), "read");
  await other.transport.terminateSession();
  await other.client.close();
  await soon(() => readdirSync(outputDir).length === 0);
});

test("a session with a name is kept and resumed, or deleted if that is said", async (t) => {
  const lro = await Lro.open({ outputDir: shared.temporary() });
  t.after(() => lro.close());
  const conversation = async (options) => {
    const server = new McpServer({ name: "rows", version: "1" });
    server.registerTool("rows", {}, () => ({ content: [{ type: "text", text: JSON.stringify(ROWS) }] }));
    const large = await offloadLargeResults(server, { lro, ...options });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(ours);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(theirs);
    return { client, end: () => client.close().then(() => large.close()) };
  };
  const first = await conversation({ session: "work" });
  const file = await offloaded(first.client);
  assert.equal(dirname(file), join(lro.outputDir, "work"));
  await first.end();
  const stranger = await conversation({});
  assert.match(await reads(stranger.client, file), /it belongs to another conversation/);
  await stranger.end();
  const resumed = await conversation({ session: "work", sessionEnd: "delete" });
  assert.equal(await reads(resumed.client, file), "read");
  await offloaded(resumed.client);
  await resumed.end();
  await soon(() => readdirSync(lro.outputDir).length === 0);
  const kept = await conversation({ sessionEnd: "keep" });
  const stays = await offloaded(kept.client);
  await kept.end();
  assert.ok(existsSync(stays));
});

test("requests without a session over HTTP share the directory, unless they are named", async (t) => {
  const plain = await served(t, {}, { isStateless: true });
  const { client } = await connected(plain.url);
  const file = await offloaded(client);
  assert.equal(dirname(file), plain.outputDir);
  assert.equal(await reads(client, file), "read");
  await client.close();

  const session = ({ requestInfo }) => requestInfo.headers["x-principal"];
  const named = await served(t, { session }, { isStateless: true });
  const { client: ann } = await connected(named.url, { "x-principal": "ann" });
  const { client: bob } = await connected(named.url, { "x-principal": "bob" });
  const ofAnn = await offloaded(ann);
  assert.equal(dirname(ofAnn), join(named.outputDir, "ann"));
  assert.equal(await reads(ann, ofAnn), "read");
  assert.match(await reads(bob, ofAnn), /it belongs to another conversation/);
  const { client: mallory } = await connected(named.url, { "x-principal": "../ann" });
  await assert.rejects(offloaded(mallory), /session is not a valid folder name/);
  for (const one of [ann, bob, mallory]) await one.close();
});

test("the folder of a process over standard input and output goes with it, or stays after a crash", async (t) => {
  for (const [end, isGone] of [
    [(transport) => transport.close(), true],
    [(transport) => process.kill(transport.pid, "SIGKILL"), false],
  ]) {
    const directory = shared.temporary();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [EXAMPLE, shared("fixtures/mif-memories.json"), directory],
      stderr: "inherit",
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    t.after(() => client.close());
    // The second one asks by itself.
    for (const [name, given] of [["recall_memories", { query: "", detail: "full" }], ["inject_context", { query: "memory" }]]) {
      const { structuredContent } = await client.callTool({ name, arguments: given });
      assert.equal(dirname(dirname(structuredContent.file_path)), directory);
    }
    assert.equal(readdirSync(directory).length, 1);
    await end(transport);
    await client.close();
    assert.equal(readdirSync(directory).length, isGone ? 0 : 1);
  }
});

test("what a model has read is summed up, and what its client says is stronger", async (t) => {
  const calls = [];
  const lro = await Lro.open({ outputDir: shared.temporary(), contextTokens: 200_000 });
  const { with: original } = lro;
  lro.with = async (changes) => {
    const changed = await original.call(lro, changes);
    const { forCall } = changed;
    changed.forCall = (call) => {
      calls.push(call);
      return forCall.call(changed, call);
    };
    return changed;
  };
  const server = new McpServer({ name: "few", version: "1" });
  server.registerTool("few", {}, () => ({ content: [{ type: "text", text: "é".repeat(400) }], structuredContent: { a: 1 } }));
  server.registerTool("image", {}, () => ({ content: [{ type: "image", data: "A".repeat(4000), mimeType: "image/png" }] }));
  const large = await offloadLargeResults(server, { lro });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(theirs);
  const call = (name, _meta) => client.callTool({ name, arguments: {}, ...(_meta && { _meta }) });
  await call("few");
  await call("image");
  await call("few");
  await call("few", { "lro/inputTokens": 150_000 });
  await call("few", { "lro/inputTokens": "many" });
  await call("lro_extract");
  assert.deepEqual(calls.map(({ inputTokens }) => inputTokens), [undefined, 200, 200, 150_000, 150_200, 150_400]);
  assert.equal(new Set(calls.map(({ session }) => session)).size, 1);
  await client.close();
  await large.close();
  await lro.close();
});

test("settings of calls and of tools are taken in camelCase", async (t) => {
  const lro = await Lro.open({
    outputDir: shared.temporary(),
    tools: { rows: { thresholdTokens: 7, keepSchema: true } },
    call: { session: "s", inputTokens: 3, inputSchema: { maxItems: 1 }, client: { clientInfo: { displayName: "x" } }, caller: "y" },
  });
  t.after(() => lro.close());
  const { tools, call } = lro.settings;
  assert.deepEqual([tools.rows.threshold_tokens, tools.rows.keep_schema], [7, true]);
  const client = { clientInfo: { displayName: "x" } };
  assert.deepEqual(call, { session: "s", input_tokens: 3, input_schema: { maxItems: 1 }, client, caller: "y" });
  const { call: ofOne } = lro.forCall({ session: "t", inputTokens: 4 }).settings;
  assert.deepEqual(ofOne, { session: "t", input_tokens: 4 });
  await assert.rejects(lro.reopen({ call: { inputTokenz: 1 } }), /inputTokenz|input_tokenz/);
  await assert.rejects(lro.forCall({ session: "../x" }).mcpCall("lro_extract", {}), /call\.session/);
});

test("options that make no sense are told", async () => {
  const server = () => new McpServer({ name: "rows", version: "1" });
  const outputDir = shared.temporary();
  for (const options of [{ session: "a/b" }, { session: 7 }, { sessionEnd: "burn" }]) {
    await assert.rejects(offloadLargeResults(server(), { outputDir, ...options }), { case: "invalid-argument" });
  }
});
