// Reference servers behind the proxy, with the official client of TypeScript.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { conversation, folder, own, proxied, server } from "./peers.mjs";

/** Nothing is offloaded and no tool is added. */
const INVISIBLE = ["--threshold", "4294967295", "--no-tools"];
const UNBOUNDED = { ATLATL_PROMPT__OFFLOAD__MAX_INLINE_TOKENS: "4294967295" };

async function connected(t, [command, ...args], env = {}) {
  const client = new Client({ name: "lro-peers", version: "1.0.0" });
  const transport = new StdioClientTransport({ command, args, stderr: "ignore", env: { ...process.env, ...env } });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

/** A request for each method, and for some tools; what they answer depends on nothing but the request. */
function requests(calls) {
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bytes", version: "1" } };
  const methods = [
    ["initialize", initialize], ["tools/list", {}], ["resources/list", {}], ["prompts/list", {}], ["no/such", {}],
    ...calls.map(([name, args]) => ["tools/call", { name, arguments: args }]),
  ];
  const asked = methods.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
  asked.splice(1, 0, { jsonrpc: "2.0", method: "notifications/initialized" });
  return asked;
}

const conversations = {
  everything: () => [[], [
    ["echo", { message: "é \u{1f600} \"quoted\"" }], ["get-sum", { a: 1.5, b: 2 }], ["get-tiny-image", {}],
    ["get-structured-content", { location: "Chicago" }], ["get-annotated-message", { messageType: "error" }],
    ["get-resource-links", { count: 3 }], ["no-such-tool", {}], ["get-sum", { a: "wrong" }],
  ]],
  filesystem: (data) => [[data], [
    ["list_directory", { path: data }], ["read_text_file", { path: join(data, "issues.json") }],
    ["directory_tree", { path: data }], ["read_text_file", { path: "/outside" }],
  ]],
  memory: () => [[], [
    ["read_graph", {}], ["search_nodes", { query: "none" }], ["open_nodes", { names: ["none"] }],
  ]],
};

/** A folder with a file of 5 MB and many small ones. */
function data(t) {
  const path = folder(t);
  const issue = (id) => ({ id, state: id % 3 ? "open" : "closed", title: `Issue ${id}`, body: "x".repeat(400) });
  writeFileSync(join(path, "issues.json"), JSON.stringify(Array.from({ length: 11_000 }, (_, id) => issue(id))));
  for (let i = 0; i < 500; i++) writeFileSync(join(path, `file-${String(i).padStart(4, "0")}.txt`), "");
  return path;
}

for (const [name, of] of Object.entries(conversations)) {
  test(`${name}: the conversation is byte-identical when nothing is offloaded`, async (t) => {
    const [args, calls] = of(data(t));
    const env = { MEMORY_FILE_PATH: join(folder(t), "memory.jsonl"), ...UNBOUNDED };
    const command = server(name, ...args);
    const direct = await conversation(command, requests(calls), env);
    const through = await conversation(proxied(INVISIBLE, command), requests(calls), env);
    assert.ok(direct.bytes.length > 1000);
    assert.equal(through.bytes.toString(), direct.bytes.toString());
    assert.equal(through.status, direct.status);
  });
}

test("filesystem: a file of 5 MB is offloaded and answered from", async (t) => {
  const [path, results] = [data(t), folder(t)];
  const client = await connected(t, proxied(["--output-dir", results], server("filesystem", path)));
  const { tools } = await client.listTools();
  assert.deepEqual(tools.slice(-4).map((tool) => tool.name), ["lro_describe", "lro_extract", "lro_read", "lro_search"]);
  const read = await client.callTool({ name: "read_text_file", arguments: { path: join(path, "issues.json") } });
  const response = read.structuredContent;
  assert.equal(response.offloaded, true);
  assert.equal(response.summary.count, 11_000);
  assert.deepEqual(JSON.parse(read.content[0].text), response);
  assert.ok(response.file_path.startsWith(results));
  const extracted = await client.callTool({
    name: "lro_extract",
    arguments: { file_path: response.file_path, query: "group_by(.state) | map({state: .[0].state, n: length})", slurp: true },
  });
  assert.deepEqual(extracted.structuredContent.results, [{ state: "closed", n: 3667 }, { state: "open", n: 7333 }]);
  const page = await client.callTool({ name: "lro_extract", arguments: { file_path: response.file_path, query: "." } });
  assert.ok(page.content[0].text.length <= 8192);
  assert.equal(page.structuredContent.truncated, true);
});

test("filesystem: a large listing is offloaded, a small one is not", async (t) => {
  const [path, results] = [data(t), folder(t)];
  const client = await connected(t, proxied(["--output-dir", results], server("filesystem", path)));
  const large = await client.callTool({ name: "list_directory", arguments: { path } });
  assert.equal(large.structuredContent.offloaded, true);
  const small = await client.callTool({ name: "list_allowed_directories", arguments: {} });
  assert.ok(small.content[0].text.includes(path));
  const failed = await client.callTool({ name: "read_text_file", arguments: { path: "/outside" } });
  assert.equal(failed.isError, true);
});

test("a result of 40 KB goes from one server to another, and to a file, without passing through the client", async (t) => {
  const [path, results] = [folder(t), folder(t)];
  const env = { MEMORY_FILE_PATH: join(folder(t), "memory.jsonl") };
  const entity = (id) => ({ name: `entity-${id}`, entityType: id % 2 ? "person" : "place", observations: ["x".repeat(80)] });
  const text = JSON.stringify(Array.from({ length: 320 }, (_, id) => entity(id)));
  assert.ok(text.length > 40_000);
  writeFileSync(join(path, "entities.json"), text);
  const flags = ["--output-dir", results, "--session", "task", "--resolve-arguments"];
  const files = await connected(t, proxied(flags, server("filesystem", path)));
  const memory = await connected(t, proxied(flags, server("memory")), env);
  await Promise.all([files.listTools(), memory.listTools()]);
  const read = await files.callTool({ name: "read_text_file", arguments: { path: join(path, "entities.json") } });
  const { file_path, refine } = read.structuredContent;
  assert.deepEqual(refine, ["head", "tail"]);
  const entities = { $lro: { file_path, where: ["entityType=person"] } };
  const created = await memory.callTool({ name: "create_entities", arguments: { entities } });
  assert.equal(created.isError ?? false, false, created.content[0].text);
  const stored = readFileSync(env.MEMORY_FILE_PATH, "utf8").trim().split("\n");
  assert.equal(stored.length, 160);
  const copy = join(path, "copy.json");
  await files.callTool({ name: "write_file", arguments: { path: copy, content: `lro://${file_path}` } });
  assert.equal(readFileSync(copy, "utf8"), text);
  const refused = await files.callTool({ name: "write_file", arguments: { path: copy, content: "lro:///etc/passwd" } });
  assert.equal(refused.isError, true);
  assert.equal(readFileSync(copy, "utf8"), text);
});

test("memory: a graph is offloaded and answered from", async (t) => {
  const env = { MEMORY_FILE_PATH: join(folder(t), "memory.jsonl") };
  const client = await connected(t, proxied(["--output-dir", folder(t)], server("memory")), env);
  const entity = (id) => ({ name: `entity-${id}`, entityType: id % 2 ? "person" : "place", observations: ["seen"] });
  await client.callTool({ name: "create_entities", arguments: { entities: Array.from({ length: 300 }, (_, id) => entity(id)) } });
  const graph = await client.callTool({ name: "read_graph", arguments: {} });
  assert.equal(graph.structuredContent.offloaded, true);
  const extracted = await client.callTool({
    name: "lro_extract",
    arguments: { file_path: graph.structuredContent.file_path, query: ".. | objects | select(.name? == \"entity-7\") | .entityType" },
  });
  assert.deepEqual(extracted.structuredContent.results, ["person"]);
});

test("everything: images, links and progress arrive", async (t) => {
  const client = await connected(t, proxied(["--threshold", "0", "--output-dir", folder(t)], server("everything")));
  await client.listTools();
  const image = await client.callTool({ name: "get-tiny-image", arguments: {} });
  assert.ok(image.content.some((block) => block.type === "image"));
  const links = await client.callTool({ name: "get-resource-links", arguments: { count: 2 } });
  assert.ok(links.content.some((block) => block.type === "resource_link"));
  const seen = [];
  await client.callTool(
    { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 2 } }, undefined,
    { onprogress: (progress) => seen.push(progress.progress) },
  );
  assert.ok(seen.length > 0);
});

test("lro mcp: the client lists and calls the tools", async (t) => {
  const client = await connected(t, own("--output-dir", folder(t), "--threshold", "10"));
  const { tools } = await client.listTools();
  assert.ok(["lro_extract", "lro_estimate", "lro_offload"].every((name) => tools.some((tool) => tool.name === name)));
  const offloaded = await client.callTool({ name: "lro_offload", arguments: { text: JSON.stringify(Array(100).fill({ a: 1 })) } });
  assert.equal(offloaded.structuredContent.summary.count, 100);
});
