// What must not happen: a filter that never ends, takes all memory, or breaks the next call; a call that blocks others.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Lro, LroError } from "../src/index.js";
import { open } from "./disks.js";
import { largeResults, offloadLargeResults } from "../src/mcp.js";
import { ToolResults } from "../src/tool-results.js";
import { shared } from "./shared.js";

const payload = readFileSync(shared("fixtures/mif-memories.json"), "utf8");
let lro;
let filePath;
before(async () => {
  // Steps end a filter at the same place on every machine, however slow it is.
  lro = await Lro.open({ outputDir: shared.temporary(), timeoutMs: 1500, maxMilliseconds: 600_000 });
  filePath = (await lro.offload({ operation: "recall", payload })).response.file_path;
});
after(() => lro.close());

for (const [query, code, limit] of [
  ["repeat(.) | empty", "limit-reached", "timeout_ms"],
  ["last(repeat(1))", "limit-reached", "max_steps"],
  ["until(false; .)", "limit-reached", "max_steps"],
  ["range(1e12) | select(. < 0)", "limit-reached", "max_steps"],
  ["def f: 1 + f; f", "limit-reached", "max_stack_bytes"],
  ["[range(1e9)]", "limit-reached", "max_steps"],
  ["(".repeat(1600) + "." + ")".repeat(1600), "limit-reached", "max_filter_nesting"],
  [`"${"x".repeat(9000)}"`, "limit-reached", "max_filter_bytes"],
  ["env", "invalid-query", undefined],
  ["input", "invalid-query", undefined],
]) {
  test(`a hostile filter ends, and the next call works: ${query.slice(0, 40)}`, async () => {
    const error = await lro.extract({ filePath, query, timeoutMs: limit === "timeout_ms" ? 50 : 60_000 }).then(
      () => assert.fail("it has an answer"),
      (error) => error,
    );
    assert.ok(error instanceof LroError, String(error));
    assert.equal(error.case, code, error.message);
    assert.equal(error.limit, limit, error.message);
    assert.ok(error.message.length > 10 && !error.message.includes("[object"));
    assert.equal((await lro.extract({ filePath, recipe: 6 })).truncated, false);
  });
}

test("calls at the same time have the answers of calls one after the other", async () => {
  const queries = Array.from({ length: 12 }, (_, i) => `select(.id | length > ${i * 5}) | .id`);
  const alone = [];
  for (const query of queries) alone.push((await lro.extract({ filePath, query })).results);
  const together = await Promise.all([
    ...queries.map(async (query) => (await lro.extract({ filePath, query })).results),
    lro.offload({ operation: "recall", payload }),
  ]);
  assert.equal(together.pop().outcome, "offloaded");
  assert.deepEqual(together, alone);
});

test("an offload is not kept waiting by an endless filter", async () => {
  const endless = lro.extract({ filePath, query: "last(repeat(1))" }).catch(({ limit }) => limit);
  const first = await Promise.race([endless, lro.offload({ operation: "recall", payload })]);
  assert.equal(first.outcome, "offloaded");
  assert.match(await endless, /timeout_ms|max_steps/);
});

test("the event loop goes on while the component works", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await lro.extract({ filePath, query: "last(range(3e6))", slurp: true, timeoutMs: 20_000 });
  clearInterval(timer);
  assert.ok(turns > 3, `${turns} turns`);
});

// The thread that takes the place of one that was ended is free of the fault.
for (const [fault, limits, reason, second] of [
  ["broken", {}, /a broken disk/, "truncated"],
  ["endless", { offloadTimeoutMs: 5_000 }, /longer than 5000 ms/, "offloaded"],
]) {
  test(`an offload that is stopped is answered truncated, and the next call works: ${fault}`, async (t) => {
    const stopped = await open(shared.temporary(), fault, limits);
    t.after(() => stopped.close());
    const answer = await stopped.offload({ operation: "recall", payload });
    assert.equal(answer.outcome, "truncated");
    assert.ok(answer.text.length < 10_000, `${answer.text.length} characters`);
    assert.equal(JSON.parse(answer.text).offloaded, false);
    const told = answer.events.filter(({ name }) => name === "OffloadFailed");
    assert.equal(told.length, 1);
    assert.match(told[0].message, reason);
    assert.equal((await stopped.offload({ operation: "recall", payload })).outcome, second);
    assert.ok((await stopped.estimate({ operation: "recall", payload, timeoutMs: 60_000 })) > 400_000);
  });
}

test("a tool's result whose offload is stopped is not sent whole", async (t) => {
  const broken = await open(shared.temporary(), "broken");
  t.after(() => broken.close());
  const result = { content: [{ type: "text", text: payload }], structuredContent: { memories: JSON.parse(payload) } };
  const { message, events } = await broken.mcpOffloadResult("recall", {}, result);
  assert.ok(message.length < 20_000, `${message.length} characters`);
  assert.ok(JSON.parse(message).content.length > 0);
  assert.deepEqual(events.map(({ name }) => name), ["OffloadFailed"]);
});

test("results that never end do not keep others waiting", async (t) => {
  const slow = await open(shared.temporary(), "endless", { offloadTimeoutMs: 20_000 });
  t.after(() => slow.close());
  let ended = 0;
  const hostile = slow.offload({ operation: "recall", payload }).finally(() => ended++);
  await slow.offload({ operation: "recall", records: [{ id: 1 }] });
  // Its own thread is free of the fault, so it is offloaded like any other.
  assert.equal((await slow.offload({ operation: "recall", payload })).outcome, "offloaded");
  assert.equal(ended, 0);
  await slow.close();
  assert.equal((await hostile).outcome, "truncated");
});

test("half a surrogate pair is kept as its escape", async () => {
  const records = Array.from({ length: 500 }, () => ({ title: "\ud800 half" }));
  const [whole, half] = ['"\ud83d\ude00"', '"\ud800"'];
  const offloaded = await lro.offload({ operation: "rows", payload: `[${Array(2000).fill(`{"a":${whole},"b":${half}}`)}]` });
  assert.equal(offloaded.outcome, "offloaded");
  assert.match(readFileSync(offloaded.response.file_path, "utf8"), /"a":"\u{1f600}","b":"\\ud800"/u);
  assert.equal((await lro.offload({ operation: "rows", records })).outcome, "offloaded");
});

test("an open package is closed once, and says so afterwards", async () => {
  const one = await Lro.open({ outputDir: shared.temporary() });
  const waiting = one.offload({ operation: "recall", payload });
  await one.close();
  const answer = await waiting;
  assert.equal(answer.outcome, "truncated");
  assert.equal(answer.text.length < 1000, true);
  await assert.rejects(one.estimate({ operation: "recall", payload }), { case: "other", message: /closed/ });
  await one[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]();
});

test("what makes no sense is an error that names the way out", async (t) => {
  const large = await largeResults({ lro });
  const away = await largeResults({ outputDir: "/dev/null/results", onEvent: () => {} });
  t.after(() => large.close());
  const mistakes = [
    [{ tresholdTokens: 1 }, /`tresholdTokens`.*`thresholdTokens`/],
    [{ thresholdTokens: "many" }, /`thresholdTokens`.*"many"/],
    [{ thresholdTokens: 1n }, /BigInt/],
    [{ tools: { list: { keepShema: true } } }, /`keepShema`.*`keepSchema`/],
    [{ outputDir: 5 }, /outputDir/],
    [{ timeoutMs: "2 s" }, /timeoutMs/],
    [{ offloadTimeoutMs: -1 }, /offloadTimeoutMs/],
    [{ settingsText: {} }, /settingsText/],
    [{ environment: "HOME" }, /environment/],
  ];
  for (const [options, message] of mistakes) {
    await assert.rejects(Lro.open({ outputDir: shared.temporary(), ...options }), { name: "LroError", case: "invalid-argument", message });
  }
  await assert.rejects(Lro.open(null), { case: "invalid-argument", message: /options/ });
  await assert.rejects(lro.extract({ filePath, groupby: "kind" }), { case: "invalid-argument", message: /`groupBy`/ });
  assert.equal((await lro.extract({ filePath, where: "memory_type=semantic", count: true })).results.length, 1);
  const grouped = await lro.extract({ filePath, groupBy: "memory_type,namespace", aggregate: "count_distinct(id)", limit: 1 });
  assert.equal(grouped.results[0].count, grouped.results[0]["count_distinct(id)"]);
  await assert.rejects(lro.extract({ filePath, perGroup: 2 }), { case: "invalid-argument", message: /`perGroup` is given without/ });
  await assert.rejects(lro.extract({ filePath: 5, recipe: 1 }), { case: "invalid-argument", message: /filePath/ });
  await assert.rejects(lro.mcpOffloadResult("list", { id: 1n }, {}), { case: "invalid-argument", message: /BigInt/ });
  await assert.rejects(lro.mcpOffloadResult("list", {}, undefined), { case: "invalid-argument", message: /result is missing/ });
  await assert.rejects(lro.mcpCall("lro_extract", { id: 1n }), { case: "invalid-argument", message: /BigInt/ });
  await assert.rejects(lro.offload(), { case: "invalid-argument", message: /payload/ });
  await assert.rejects(lro.describe(), { case: "invalid-argument", message: /filePath/ });
  const calls = ["estimate", "offload", "extract", "read", "search", "describe", "rebuild", "copies", "cleanup", "listFiles", "resolve"];
  for (const name of calls) {
    const refused = { name: "LroError", case: "invalid-argument", message: new RegExp(`of ${name} are an object, not null`) };
    await assert.rejects(async () => lro[name](null), refused);
  }
  await assert.rejects(lro.extractAll(null).next(), { case: "invalid-argument", message: /of extractAll/ });
  await assert.rejects(ToolResults.open(null), { case: "invalid-argument", message: /of ToolResults\.open/ });
  await assert.rejects(largeResults(null), { case: "invalid-argument", message: /of offloading/ });
  const never = join(shared.temporary(), "never");
  for (const server of [{}, undefined, null, "server", { server: {} }, { connect: true }, []]) {
    const refused = { name: "LroError", case: "invalid-argument", message: /^cannot offload for the server: it has no method connect, .*McpServer/ };
    await assert.rejects(offloadLargeResults(server, { outputDir: never }), refused);
    assert.throws(() => large.attach(server), refused);
    assert.throws(() => away.attach(server), refused);
  }
  assert.ok(!existsSync(never));
  await assert.rejects(lro.offload({ operation: "recall" }), { case: "invalid-argument", message: /payload/ });
  await assert.rejects(lro.extract({ recipe: 1 }), { case: "invalid-argument", message: /filePath/ });
  await assert.rejects(lro.extract({ filePath, recipe: 1, query: "." }), { case: "invalid-argument" });
  await assert.rejects(lro.extract({ filePath: "/etc/passwd", recipe: 1 }), { case: "outside" });
});
