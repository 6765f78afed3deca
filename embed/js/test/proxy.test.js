// `proxy` between clients and servers that behave, and those that do not.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { MAIN } from "./golden.js";
import { shared } from "./shared.js";

const SERVER = [process.execPath, new URL("lines-server.js", import.meta.url).pathname];

/** A proxy, to which lines are written and from which lines are read. */
class Talk {
  #lines = [];
  #wake = [];
  #rest = "";
  stderr = "";

  constructor(flags, { command = SERVER, env = {} } = {}) {
    this.folder = shared.temporary();
    const words = [MAIN, "proxy", "--output-dir", join(this.folder, "out"), ...flags, "--", ...command];
    this.child = spawn(process.execPath, words, { env: { ...process.env, LRO_JS: "1", ...env } });
    this.child.stdout.setEncoding("latin1").on("data", (text) => this.#add(text));
    this.child.stderr.setEncoding("utf8").on("data", (text) => (this.stderr += text));
    this.child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => this.child.on("close", (status, signal) => resolve({ status, signal, rest: this.#rest })));
  }

  #add(text) {
    const pieces = (this.#rest + text).split("\n");
    this.#rest = pieces.pop();
    this.#lines.push(...pieces);
    this.#wake.splice(0).forEach((wake) => wake());
  }

  write(text) {
    this.child.stdin.write(text);
  }

  send(message) {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** The next line, as it is; undefined at the end. */
  async line() {
    while (this.#lines.length === 0) {
      const more = new Promise((resolve) => this.#wake.push(resolve));
      const isOver = await Promise.race([more, this.ended]);
      if (isOver && this.#lines.length === 0) return undefined;
    }
    return Buffer.from(this.#lines.shift(), "latin1").toString();
  }

  async message() {
    return JSON.parse(await this.line());
  }

  /** Ends the input, and expects a good end. */
  async end(expected = 0) {
    this.child.stdin.end();
    const { status } = await this.ended;
    assert.equal(status, expected, this.stderr);
  }

  get files() {
    const folder = join(this.folder, "out");
    return existsSync(folder) ? readdirSync(folder, { recursive: true }).filter((name) => /\.(jsonl|txt)$/.test(name)) : [];
  }
}

/** True for a process that has not ended; nobody may have asked for its status yet. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const call = (id, params) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "rows", ...params } });

test("bytes that are not touched pass in both directions", async () => {
  const talk = new Talk([], { env: { LRO_TEST_LOG: join(shared.temporary(), "log") } });
  const odd = ["not JSON", "\t", '{"jsonrpc":"2.0","method":"x","b":1.0e2}', '[{"id":1,"result":{}}]', '{"id":1e2 ,"result": {"a" : [1 ,2]}}', "\ud83d\ude00 é"];
  talk.send({ id: 0, method: "say", params: { say: odd.map((line) => `${line}\n`) } });
  for (const line of odd) assert.equal(await talk.line(), line);
  talk.write('{"id": 7 ,"method":"odd" , "params":{"say":["{\\"id\\":7,\\"error\\":{\\"code\\":-1,\\"message\\":\\"m\\"}}\\r\\n"]}}\r\n');
  assert.equal(await talk.line(), '{"id":7,"error":{"code":-1,"message":"m"}}\r');
  await talk.end();
});

test("ids of odd forms come back as they are written, and answers are found by them", async () => {
  const talk = new Talk(["--threshold", "100", "--min-saving", "0"]);
  const rows = JSON.stringify(JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, name: `row ${id}` }))));
  for (const [asked, answered] of [["1e2", "100"], ['"a\\u00e9"', '"aé"'], ["-0", "0"], ["12345678901234567890", "12345678901234567890"], ["1.5", "1.50"], ['"1"', '"1"']]) {
    const answer = `{"jsonrpc":"2.0","id":${answered},"result":{"content":[{"type":"text","text":${rows}}]}}\n`;
    talk.write(`{"jsonrpc":"2.0","id":${asked},"method":"tools/call","params":{"name":"rows","say":[${JSON.stringify(answer)}]}}\n`);
    const line = await talk.line();
    assert.ok(line.startsWith(`{"jsonrpc":"2.0","id":${answered},"result":{`), line.slice(0, 80));
    assert.equal(JSON.parse(line).result.structuredContent.offloaded, true, asked);
  }
  await talk.end();
});

test("an answer that comes twice is looked at twice", async () => {
  const talk = new Talk(["--threshold", "100", "--min-saving", "0"]);
  const rows = JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, name: `row ${id}` })));
  const answer = (members) => `${JSON.stringify({ jsonrpc: "2.0", id: 1, ...members })}\n`;
  const large = answer({ result: { content: [{ type: "text", text: rows }] } });
  talk.send(call(1, { say: [large, answer({ error: { code: 1, message: "m" } }), large] }));
  const lines = [await talk.message(), await talk.message(), await talk.message()];
  assert.equal(lines.filter(({ result }) => result?.structuredContent.offloaded).length, 2);
  assert.equal(lines.filter(({ error }) => error).length, 1);
  // A small answer in front of it, and another request with its id.
  talk.send(call(2, { say: [`{"id":2,"result":{}}\n`, large.replace('"id":1', '"id":2')] }));
  assert.deepEqual((await talk.message()).result, {});
  assert.equal((await talk.message()).result.structuredContent.offloaded, true);
  talk.send({ id: 2, method: "other", params: { say: [large.replace('"id":1', '"id":2')] } });
  assert.equal((await talk.message()).result.content[0].text, rows);
  // Clients take a number that comes back as a text for the number.
  talk.send(call(3, { say: [large.replace('"id":1', '"id":"3"')] }));
  assert.equal((await talk.message()).result.structuredContent.offloaded, true);
  await talk.end();
});

test("our tools are listed and answered, the files of the session go at its end", async () => {
  const talk = new Talk(["--threshold", "100"]);
  talk.send({ id: 1, method: "tools/list", params: { say: ['{"id":1,"result":{"tools":[{"name":"rows", "inputSchema":{}}]}}\n'] } });
  const { result } = await talk.message();
  assert.deepEqual(result.tools.map(({ name }) => name), ["rows", "lro_describe", "lro_extract", "lro_read", "lro_search"]);
  talk.send(call(2, { large: 100_000 }));
  const { structuredContent } = (await talk.message()).result;
  assert.equal(structuredContent.offloaded, true);
  assert.equal(talk.files.length, 1);
  const found = [];
  for (let next, id = 3; ; id++) {
    const given = next === undefined ? { query: ".id" } : { query: ".id", next };
    talk.send({ id, method: "tools/call", params: { name: "lro_extract", arguments: { file_path: structuredContent.file_path, ...given } } });
    const page = (await talk.message()).result.structuredContent;
    found.push(...page.results);
    next = page.next;
    if (next === undefined || next === null) break;
  }
  assert.deepEqual(found, Array.from({ length: Math.ceil(100_000 / 140) }, (_, id) => id));
  await talk.end();
  assert.deepEqual(talk.files, []);
});

test("a server's tool of our name keeps it, and ours have another", async () => {
  const talk = new Talk([]);
  const list = '{"id":1,"result":{"tools":[{"name":"lro_extract"}]}}\n';
  talk.send({ id: 1, method: "tools/list", params: { say: [list] } });
  const names = (await talk.message()).result.tools.map(({ name }) => name);
  assert.deepEqual(names, ["lro_extract", "lro_local_describe", "lro_local_extract", "lro_local_read", "lro_local_search"]);
  talk.send({ id: 2, method: "tools/list", params: { say: [list.replace("1", "2").replace("lro_extract", "lro_local_read")] } });
  assert.deepEqual((await talk.message()).result.tools.map(({ name }) => name), names.slice(1));
  await talk.end();
  assert.match(talk.stderr, /the server has a tool `lro_extract` of its own/);
});

test("errors pass, and a batch does, and a result under the threshold does", async () => {
  const talk = new Talk([]);
  const answers = ['{"id":1,"error":{"code":-5,"message":"no"}}', '{"id":2,"result":{"content":[{"type":"text","text":"small"}] }}', '[{"id":3,"result":{"content":[]}}]'];
  for (const [i, answer] of answers.entries()) {
    talk.send(call(i + 1, { say: [`${answer}\n`] }));
    assert.equal(await talk.line(), answer);
  }
  await talk.end();
});

test("a line of 20 MB is offloaded, and one above the limit gets an error", async () => {
  const talk = new Talk(["--max-message", String(30 << 20)]);
  talk.send(call(1, { large: 20 << 20 }));
  const { structuredContent } = (await talk.message()).result;
  assert.equal(structuredContent.summary.count, Math.ceil((20 << 20) / 140));
  talk.send(call(2, { large: 40 << 20 }));
  const { id, error } = await talk.message();
  assert.deepEqual([id, error.code], [2, -32000]);
  assert.match(error.message, /a message of the server is longer than 31457280 bytes/);
  talk.write(`{"id":3,"method":"tools/call","params":{"name":"rows","arguments":{"a":"${"x".repeat(31 << 20)}"}}}\n`);
  assert.equal((await talk.message()).error.code, -32600);
  talk.send(call(4, { say: ['{"id":4,"result":{}}\n'] }));
  assert.equal(await talk.line(), '{"id":4,"result":{}}');
  await talk.end();
});

test("a server that dies in the middle of a line: the half line comes, and each open request gets one error", async () => {
  const talk = new Talk([]);
  talk.send(call(1, {}));
  talk.send({ jsonrpc: "2.0", id: "open", method: "resources/list" });
  talk.send({ jsonrpc: "2.0", id: 3, method: "cancelled" });
  talk.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } });
  talk.send(call(9, { say: ['{"id":9,"result":{"content":[]}}\n', '{"id":1,"resu'], exit: 7 }));
  assert.equal(await talk.line(), '{"id":9,"result":{"content":[]}}');
  assert.equal(await talk.line(), '{"id":1,"resu');
  const answers = [await talk.message(), await talk.message()];
  assert.deepEqual(answers.map(({ id, error }) => [id, error.code]), [[1, -32001], ["open", -32001]]);
  assert.equal(await talk.line(), undefined);
  assert.equal((await talk.ended).status, 7);
});

test("results that are worked on when the server dies are sent, and not answered twice", async () => {
  const talk = new Talk(["--threshold", "100"]);
  talk.send(call(1, { large: 2 << 20, exit: 0 }));
  const { id, result } = await talk.message();
  assert.deepEqual([id, result.structuredContent.offloaded], [1, true]);
  assert.equal(await talk.line(), undefined);
  assert.equal((await talk.ended).status, 0);
});

test("the status is the server's, also after a signal, and after one for us", async () => {
  const killed = new Talk([]);
  killed.send(call(1, { kill: "SIGKILL" }));
  assert.equal((await killed.ended).status, 137);
  const ended = new Talk([]);
  ended.send(call(1, { say: ['{"id":1,"result":{}}\n'] }));
  await ended.line();
  ended.child.kill("SIGTERM");
  assert.equal((await ended.ended).status, 143);
  const missing = new Talk([], { command: ["/no/such/program"] });
  assert.equal((await missing.ended).status, 1);
  assert.match(missing.stderr, /^lro: cannot start `\/no\/such\/program`: /);
});

test("the npx of a server does not see the variables of ours", { skip: process.platform === "win32" }, async () => {
  const script = "echo ${npm_config_package-none} ${npm_config_call-none} ${npm_config_cache-none}";
  const env = { npm_config_package: "ours", npm_config_call: "ours", npm_config_cache: "ours" };
  const talk = new Talk([], { command: ["sh", "-c", script], env });
  assert.equal(await talk.line(), "none none ours");
  await talk.end();
});

test("a deaf server is killed within two seconds after its client has gone, with what it has started", async () => {
  for (const leave of [(talk) => talk.child.stdin.end(), (talk) => talk.child.stdout.destroy(), (talk) => talk.child.kill("SIGTERM")]) {
    const talk = new Talk([], { command: ["sh", "-c", `${SERVER.join(" ")}; true`], env: { LRO_TEST_DEAF: "1" } });
    talk.send(call(1, { say: ['{"id":1,"result":{}}\n'] }));
    await talk.line();
    const began = Date.now();
    leave(talk);
    // A reader that has gone is noticed when something is written.
    talk.send(call(2, { say: ['{"id":2,"result":{}}\n'] }));
    await talk.ended;
    assert.ok(Date.now() - began < 3500, `${Date.now() - began} ms`);
    const pid = Number(/server (\d+)/.exec(talk.stderr)[1]);
    await sleep(200);
    assert.ok(!isRunning(pid), `${pid} still runs`);
  }
});

test("a client that reads nothing holds up nothing else, and the end comes all the same", async () => {
  const talk = new Talk(["--threshold-tokens", "4294967295"], { env: { ATLATL_PROMPT__OFFLOAD__MAX_INLINE_TOKENS: "4294967295" } });
  talk.child.stdout.pause();
  for (let id = 0; id < 40; id++) talk.send(call(id, { large: 200_000 }));
  await sleep(1500);
  const began = Date.now();
  talk.child.kill("SIGTERM");
  await new Promise((resolve) => talk.child.on("exit", resolve));
  assert.ok(Date.now() - began < 2500, `${Date.now() - began} ms`);
});

test("what the client says while the component is loaded keeps its order", async () => {
  const log = join(shared.temporary(), "log");
  const talk = new Talk([], { env: { LRO_TEST_LOG: log } });
  talk.send({ id: 1, method: "tools/call", params: { name: "my_extract", say: ['{"id":1,"result":{"content":[]}}\n'] } });
  talk.send({ method: "notifications/after" });
  talk.send(call(2, { say: ['{"id":2,"result":{"content":[]}}\n'] }));
  assert.equal((await talk.message()).id, 1);
  assert.equal((await talk.message()).id, 2);
  await talk.end();
  const methods = readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line).method);
  assert.deepEqual(methods, ["tools/call", "notifications/after", "tools/call"]);
});

test("flags are those of the native command, and what is not here names it", async () => {
  const rows = [
    [["--url", "http://localhost"], /^lro: `proxy --url` is not in this package; the native command `lro` has it/],
    [["--nonsense"], /^lro: `--nonsense` is not a flag of `proxy`/],
    [["--threshold", "many"], /^lro: `--threshold-tokens` takes a whole number, not `many`/],
    [["--tool", "x"], /^lro: `--tool` takes NAME=never/],
  ];
  for (const [flags, reason] of rows) {
    const talk = new Talk(flags);
    assert.equal((await talk.ended).status, 2);
    assert.match(talk.stderr, reason);
  }
  const never = new Talk(["--threshold=10", "--tool", "rows=never"]);
  never.send(call(1, { large: 20_000 }));
  assert.equal((await never.message()).result.structuredContent, undefined);
  await never.end();
  const unusable = new Talk(["--output-dir=/proc/x"].concat([]));
  assert.notEqual((await unusable.ended).status, 0);
});

test("a client that runs code gets its rows, and the server is told about the proxy where that is asked for", async () => {
  const log = join(shared.temporary(), "log");
  const talk = new Talk(["--threshold", "10", "--code-caller", "runner", "--announce"], { env: { LRO_TEST_LOG: log } });
  talk.write('{"id":0, "method":"initialize","params":{"clientInfo":{"name":"c" }, "say":["{\\"id\\":0,\\"result\\":{}}\\n"]}}\n');
  await talk.line();
  assert.ok(readFileSync(log, "utf8").includes('"clientInfo":{"name":"c" ,"proxy":true}'));
  talk.send(call(1, { large: 20_000, _meta: { "lro/caller": "runner" } }));
  assert.equal((await talk.message()).result.structuredContent, undefined);
  talk.send(call(2, { large: 20_000 }));
  assert.equal((await talk.message()).result.structuredContent.offloaded, true);
  await talk.end();
});
