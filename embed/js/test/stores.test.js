// Results in key-value stores: a real redis-server, and a Keyv in memory.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import KeyvRedis, { createClient } from "@keyv/redis";
import { Keyv } from "keyv";

import { Lro } from "../src/index.js";
import { ToolResults } from "../src/tool-results.js";
import { redisServer } from "./stores.js";

const ROWS = Array.from({ length: 2000 }, (_, id) => ({ id, title: `row ${id}`, text: "many words of a text ".repeat(3) }));
const DOCUMENT = {
  repositories: Array.from({ length: 900 }, (_, id) => ({ name: `r${id}` })),
  issues: Array.from({ length: 900 }, (_, number) => ({ number })),
  next: 7,
};
const LARGE = { thresholdTokens: 800 };
/** Nothing that compresses, in so many parts of the least size. */
const NOISE = Array.from({ length: 3000 }, (_, id) => ({ id, noise: Array.from({ length: 12 }, () => Math.random().toString(36).slice(2)).join("") }));

let redis;
const opened = [];
const shared = new Map();
before(async () => (redis = await redisServer()));
after(async () => {
  await Promise.all(opened.map((one) => one.close()));
  // A client whose server is gone would try to reach it for ever.
  for (const { store } of shared.values()) if (store.client?.isOpen) store.client.destroy();
  await redis.kill();
});

const KINDS = {
  redis: () => keep(new Keyv({ store: new KeyvRedis(redis.url), namespace: "lro" })),
  memory: () => shared.get("memory") ?? keep(new Keyv(), "memory"),
};

function keep(keyv, name = `${shared.size}`) {
  shared.set(name, keyv);
  return keyv;
}

async function open(store, options = {}) {
  const lro = await Lro.open({ store, ...LARGE, ...options });
  opened.push(lro);
  return lro;
}

for (const [kind, make] of Object.entries(KINDS)) {
  test(`${kind}: what one stores another reads`, async () => {
    const [writer, reader] = [await open(make()), await open(make())];
    const answer = await writer.offload({ operation: "recall", records: ROWS });
    const filePath = answer.response.file_path;
    assert.equal(filePath, `lro://${answer.fileName}`);
    assert.deepEqual((await reader.extract({ filePath, query: ".id", limit: 3 })).results, [0, 1, 2]);
    const bare = await reader.extract({ filePath: answer.fileName, where: ["id>=1998"], select: ["id"] });
    assert.deepEqual(bare.results, [{ id: 1998 }, { id: 1999 }]);
    assert.equal((await reader.read({ filePath, lines: "2" })).text, `${JSON.stringify(ROWS[1])}\n`);
    assert.deepEqual((await reader.search({ filePath, pattern: "row 1999\\b" })).hits.map(({ line }) => line), [2000]);
    assert.equal((await reader.describe({ filePath })).header.count, 2000);
    assert.deepEqual(JSON.parse(await reader.rebuild({ filePath })), ROWS);
    const [half] = (await reader.extract({ filePath, query: "select(.id < 1000)", into: true })).results;
    const counted = await writer.extract({ filePath: half.file_path, query: ".", count: true });
    assert.deepEqual(counted.results, [1000]);
  });

  test(`${kind}: the files of a document travel together`, async () => {
    const answer = await (await open(make())).offload({ operation: "recall", value: DOCUMENT });
    assert.equal(answer.sections.length, 1);
    const reader = await open(make());
    for (const filePath of [answer.response.file_path, answer.sections[0].fileName]) {
      assert.deepEqual(JSON.parse(await reader.rebuild({ filePath })), DOCUMENT);
    }
  });

  test(`${kind}: the store forgets what has expired`, async () => {
    const lro = await open(make(), { ttlSeconds: 1 });
    const { fileName: filePath } = await lro.offload({ operation: "recall", records: ROWS });
    await wait(1500);
    await assert.rejects(lro.extract({ filePath, query: ".id" }), { case: "not-found", hint: "run the tool again to get a fresh file_path" });
  });

  test(`${kind}: conversations do not read each other`, async () => {
    const lro = await open(make());
    const { fileName } = await lro.offload({ operation: "recall", records: ROWS, session: "ann" });
    for (const file_path of [fileName, `lro://${fileName}`, fileName.slice(4)]) {
      const asked = ["lro_extract", { file_path, query: ".id", limit: 1 }];
      assert.deepEqual((await lro.forCall({ session: "ann" }).mcpCall(...asked)).structuredContent.results, [0], file_path);
      assert.equal((await lro.forCall({ session: "bob" }).mcpCall(...asked)).isError, true, file_path);
    }
  });

  test(`${kind}: a session ends with what it stored`, async () => {
    const lro = await open(make());
    const other = await lro.offload({ operation: "recall", records: ROWS });
    const filePath = await lro.withSession("job-7", async (session) => (await session.offload({ operation: "recall", records: ROWS })).fileName);
    await assert.rejects(lro.extract({ filePath, query: ".id" }), { case: "not-found" });
    assert.deepEqual((await lro.extract({ filePath: other.fileName, query: ".id", limit: 1 })).results, [0]);
    const cleaned = await lro.cleanup();
    assert.equal(cleaned.deleted, 0);
    assert.deepEqual(cleaned.events.map(({ name }) => name), ["ExpiryLeftToStore"]);
    assert.ok((await lro.cleanup({ all: true })).deleted >= 1);
  });

  test(`${kind}: a result goes from tool to tool, and has other names`, async () => {
    const lro = await open(make(), { resolveArguments: true, toolNames: "artifact" });
    const { fileName, response } = await lro.offload({ operation: "recall", records: ROWS });
    const given = JSON.parse(await lro.mcpResolveArguments("mail", { body: response.file_path }));
    assert.deepEqual(JSON.parse(given.body), ROWS);
    const [, operation, ulid] = fileName.replace(".jsonl", "").split("-");
    for (const artifact_id of [fileName, response.file_path, `art_${operation}_${ulid.toLowerCase()}`]) {
      const read = await lro.mcpCall("artifact_read", { artifact_id, start_line: 1, end_line: 1 });
      assert.match(read.content[0].text, /row 0/, artifact_id);
    }
  });
}

test("the process that stored a result is killed, and another one reads it", async () => {
  const program = fileURLToPath(new URL("stored-by-another.js", import.meta.url));
  const writer = spawn(process.execPath, [program, redis.url], { stdio: ["ignore", "pipe", "inherit"] });
  const filePath = String((await once(writer.stdout, "data"))[0]).trim();
  const ended = once(writer, "exit");
  writer.kill("SIGKILL");
  assert.equal((await ended)[1], "SIGKILL");
  const lro = await open(KINDS.redis());
  assert.deepEqual((await lro.extract({ filePath, query: "select(.id == 1999) | .title" })).results, ["row 1999"]);
});

test("an agent's results are in a store, and go with the agent", async () => {
  const store = KINDS.redis();
  const agent = await ToolResults.open({ store, ...LARGE });
  const replaced = await agent.offloadResult("rows", {}, JSON.stringify(ROWS));
  const { file_path } = JSON.parse(replaced);
  assert.match(file_path, /^lro:\/\/[a-z2-7]{12}\/atlatl-rows-/);
  assert.match(await agent.callText("lro_extract", { file_path, query: ".id", limit: 1 }), /"results":\[0\]/);
  await agent.close();
  const reader = await open(KINDS.redis());
  await assert.rejects(reader.extract({ filePath: file_path, query: "." }), { case: "not-found" });
});

test("a large result is in parts, and without one of them it is not read", async () => {
  const client = await createClient({ url: redis.url }).connect();
  const lro = await open(KINDS.redis(), { storePartBytes: 50_000 });
  const { fileName: filePath } = await lro.offload({ operation: "large", records: NOISE });
  const parts = await client.keys(`*${filePath}.*`);
  assert.ok(parts.length > 5, String(parts.length));
  assert.deepEqual(JSON.parse(await lro.rebuild({ filePath })), NOISE);
  for (const part of parts) {
    assert.ok((await client.strLen(part)) < 70_000);
    const seconds = await client.ttl(part);
    assert.ok(seconds > 0 && seconds <= 3600, String(seconds));
  }
  await client.del(parts[2]);
  await assert.rejects(lro.extract({ filePath, query: "." }), { case: "not-found", message: /there is no such file, or it has expired/ });
  await client.quit();
});

test("a store that is away truncates, and comes back", async () => {
  const server = await redisServer();
  const lro = await open(keep(new Keyv({ store: new KeyvRedis(server.url) })), { storeTimeoutMs: 1000 });
  const { fileName: filePath } = await lro.offload({ operation: "recall", records: ROWS });
  await server.kill();
  const begun = Date.now();
  const answer = await lro.offload({ operation: "recall", records: ROWS });
  assert.equal(answer.outcome, "truncated");
  assert.ok(answer.result.returned > 0);
  assert.match(answer.result.warning, /cannot store `lro:\/\/atlatl-recall-/);
  assert.equal(answer.events.at(-1).name, "OffloadWriteFailed");
  assert.match(answer.events.at(-1).message, /cannot store/);
  await assert.rejects(lro.extract({ filePath, query: "." }), { case: "io", message: /^cannot read `lro:\/\// });
  const told = await lro.mcpCall("lro_extract", { file_path: filePath, query: "." });
  assert.equal(told.isError, true);
  assert.match(told.content[0].text, /cannot read .*try again/);
  const message = await lro.mcpOffloadResult("rows", {}, { content: [{ type: "text", text: JSON.stringify(ROWS) }] });
  assert.match(JSON.parse(message.message).structuredContent.warning, /cannot store/);
  assert.ok(Date.now() - begun < 20_000);
});

test("a store that does not answer is not waited for", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const store = keep(new Keyv({ store: new KeyvRedis(`redis://127.0.0.1:${silent.address().port}`) }));
  const lro = await open(store, { storeTimeoutMs: 300 });
  const begun = Date.now();
  const answer = await lro.offload({ operation: "recall", records: ROWS });
  assert.match(answer.result.warning, /the store did not answer within 30\d ms/);
  assert.ok(Date.now() - begun < 10_000);
  silent.close();
});

test("a full store truncates, and keeps nothing of the result", async () => {
  const server = await redisServer("--maxmemory", "4mb", "--maxmemory-policy", "noeviction");
  const client = await createClient({ url: server.url }).connect();
  const lro = await open(keep(new Keyv({ store: new KeyvRedis(server.url) })));
  const rows = Array.from({ length: 10 }, () => NOISE).flat().map((row, id) => ({ ...row, id, more: Math.random().toString(36).repeat(1) + row.noise.split("").reverse().join("") }));
  const answer = await lro.offload({ operation: "recall", records: rows });
  assert.equal(answer.outcome, "truncated");
  assert.match(answer.result.warning, /maxmemory/);
  for (const until = Date.now() + 10_000; (await client.dbSize()) > 0 && Date.now() < until; ) await wait(100);
  assert.deepEqual(await client.keys("*"), []);
  await client.quit();
  await server.kill();
});

test("what is not a store is refused", async () => {
  const refused = { case: "invalid-argument" };
  await assert.rejects(Lro.open({ store: {} }), refused);
  await assert.rejects(Lro.open({ store: new Keyv(), outputDir: "results" }), refused);
  await assert.rejects(Lro.open({ store: new Keyv(), storeTimeoutMs: 0 }), refused);
  const lro = await open(new Keyv());
  assert.equal(lro.outputDir, undefined);
  await assert.rejects(lro.listFiles(), refused);
  for (const filePath of ["/etc/passwd", "lro://../x", "lro://a/b/c.jsonl", "../../etc/passwd"]) {
    await assert.rejects(lro.extract({ filePath, query: "." }), ({ case: name }) => ["outside", "not-an-offload"].includes(name), filePath);
  }
});

test("nothing stays in the temporary directory", async () => {
  const [own, temporary] = [mkdtempSync(join(tmpdir(), "lro-js-")), process.env.TMPDIR];
  process.env.TMPDIR = own;
  try {
    const lro = await open(new Keyv());
    const { fileName: filePath } = await lro.offload({ operation: "recall", records: ROWS });
    await lro.extract({ filePath, query: ".id" });
    assert.deepEqual(readdirSync(own).flatMap((name) => readdirSync(join(own, name))), []);
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
});
