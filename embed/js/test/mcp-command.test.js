// `mcp`, with the official clients of both generations, and with clients that misbehave.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Transport2 } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { MAIN } from "./golden.js";
import { shared } from "./shared.js";

const ENV = { ...process.env, LRO_JS: "1" };
const TOOLS = ["lro_describe", "lro_extract", "lro_read", "lro_search", "lro_estimate", "lro_offload"];
const ROWS = JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, state: id % 4 ? "open" : "closed" })));

/** Offloads, and reads every page. */
async function storesAndReads(client) {
  assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), TOOLS);
  const call = async (name, given) => client.callTool({ name, arguments: given });
  const { tokens } = (await call("lro_estimate", { text: ROWS })).structuredContent;
  assert.ok(tokens > 1600, `${tokens}`);
  const { file_path } = (await call("lro_offload", { text: ROWS, operation: "rows" })).structuredContent;
  const found = [];
  let next;
  do {
    const page = (await call("lro_extract", { file_path, query: ".id", ...(next ? { next } : {}) })).structuredContent;
    found.push(...page.results);
    next = page.next;
  } while (next);
  assert.equal(found.length, 1000);
  assert.equal((await call("lro_offload", { text: "small" })).content[0].text, "small");
  const refused = await call("lro_extract", { file_path: "/etc/passwd", query: "." });
  assert.equal(refused.isError, true);
  await assert.rejects(call("no_such_tool", {}), /no_such_tool|-32602/);
}

const words = (...flags) => ({ command: process.execPath, args: [MAIN, "mcp", ...flags], env: ENV, stderr: "ignore" });

test("the client of the handshake", async () => {
  const client = new Client({ name: "t", version: "1" });
  await client.connect(new StdioClientTransport(words("--output-dir", shared.temporary())));
  assert.equal(client.getServerVersion().name, "lro");
  await storesAndReads(client);
  await client.close();
});

test("the client of the second SDK, with either protocol", async () => {
  for (const options of [{}, { versionNegotiation: { mode: { pin: "2026-07-28" } } }]) {
    const client = new Client2({ name: "t", version: "1" }, options);
    await client.connect(new Transport2(words("--output-dir", shared.temporary())));
    await storesAndReads(client);
    await client.close();
  }
});

/** Sends lines, ends the input, and returns all answers. */
async function said(lines, ...flags) {
  const child = spawn(process.execPath, [MAIN, "mcp", ...flags], { env: ENV });
  let [told, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (told += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  child.stdin.on("error", () => {});
  for (const line of lines) child.stdin.write(line);
  child.stdin.end();
  const status = await new Promise((resolve) => child.on("close", resolve));
  return { status, errors, answers: told.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
}

test("lines that are not messages get errors, under their ids where those can be told", async () => {
  const request = (id, method, params) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const { status, answers, errors } = await said([
    "garbage\n",
    "\n",
    `[${request(1, "ping").trim()}]\n`,
    Buffer.from([0x7b, 0xff, 0x7d, 0x0a]),
    '{"jsonrpc":"2.0","id":1e2,"method":"ping"}\n',
    '{"jsonrpc":"2.0","id":[1],"method":"ping"}\n',
    '{"jsonrpc":"2.0","id":2,"method":"ping","params":[1]}\n',
    '{"id":3,"method":"ping"}\n',
    `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"lro_extract","arguments":${"[".repeat(200)}${"]".repeat(200)}}}\n`,
    request(5, "no/such"),
    request(6, "tools/call", { name: "lro_extract", arguments: 7 }),
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"lro_offload","arguments":{"text":"${"x".repeat(3000)}"}}}\n`,
    '{"jsonrpc":"2.0","method":"no/such","params":7}\n',
    '{"jsonrpc":"2.0","id":8,"result":7,"params":7}\n',
    `\ufeff${request("é", "ping")}`,
    request(9, "ping").trim(),
  ], "--output-dir", shared.temporary(), "--max-message", "2048");
  assert.equal(status, 0);
  const codes = answers.map(({ id, error, result }) => [id, error?.code ?? result]).sort(([one], [other]) => `${one}`.localeCompare(`${other}`));
  assert.deepEqual(codes.filter(([id]) => id === null).map(([, code]) => code).sort(), [-32600, -32600, -32700, -32700]);
  assert.deepEqual(codes.filter(([id]) => id !== null), [
    [100, -32600], [2, -32602], [3, -32600], [4, -32600], [5, -32601], [6, -32602], [7, -32600], [9, {}], ["é", {}],
  ].sort(([one], [other]) => `${one}`.localeCompare(`${other}`)));
  assert.equal(errors.match(/a line of the client is left out/g).length, 2);
});

test("files are read below the roots, and nowhere else", async () => {
  const [root, outside, out] = [shared.temporary(), shared.temporary(), shared.temporary()];
  writeFileSync(join(root, "rows.json"), ROWS);
  writeFileSync(join(outside, "rows.json"), ROWS);
  mkdirSync(join(root, "below"));
  const call = (id, name, given) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } })}\n`;
  const { answers } = await said([
    call(1, "lro_estimate", { file: join(root, "rows.json") }),
    call(2, "lro_estimate", { file: join(outside, "rows.json") }),
    call(3, "lro_offload", { file: join(root, "below") }),
    call(4, "lro_offload", { file: join(root, "missing") }),
    call(5, "lro_offload", { text: "a", file: "b" }),
    call(6, "lro_offload", { nonsense: 1 }),
  ], "--root", root, "--output-dir", out);
  const of = (id) => answers.find((answer) => answer.id === id).result;
  assert.ok(of(1).structuredContent.tokens > 1600);
  assert.match(of(2).content[0].text, /it lies outside of the folders/);
  assert.match(of(3).content[0].text, /it is not a regular file/);
  assert.match(of(4).content[0].text, /no such file or directory/);
  assert.match(of(5).content[0].text, /give either `text` or `file`/);
  assert.match(of(6).content[0].text, /`nonsense` is not known/);
  assert.ok([2, 3, 4, 5, 6].every((id) => of(id).isError));
});

test("a session of its own ends with the conversation, another cannot be read", async () => {
  const out = shared.temporary();
  const call = (id, name, given) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } })}\n`;
  const { answers } = await said([call(1, "lro_offload", { text: ROWS })], "--output-dir", out);
  const { file_path } = answers[0].result.structuredContent;
  assert.ok(existsSync(file_path));
  const other = await said([call(1, "lro_offload", { text: ROWS }), call(2, "lro_describe", { file_path })], "--output-dir", out, "--session-end", "delete");
  const [stored, described] = [1, 2].map((id) => other.answers.find((answer) => answer.id === id).result);
  assert.equal(stored.structuredContent.offloaded, true);
  assert.equal(described.isError, true);
  assert.deepEqual(readdirSync(out, { recursive: true }).filter((name) => !name.includes("lock")).length, 1);
  assert.ok(readFileSync(file_path, "utf8").length > ROWS.length);
});
