// Each call on real data, as the README shows it.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";

import { Lro } from "../src/index.js";
import { shared } from "./shared.js";

const payload = readFileSync(shared("fixtures/mif-memories.json"), "utf8");
const records = JSON.parse(payload);
let lro;
before(async () => (lro = await Lro.open({ outputDir: shared.temporary(), thresholdTokens: 1600 })));
after(() => lro.close());

test("a large result is offloaded, read in parts, described and rebuilt", async () => {
  const offloaded = await lro.offload({ operation: "recall", records, detail: "full" });
  assert.equal(offloaded.outcome, "offloaded");
  assert.ok(offloaded.estimatedTokens > 1600);
  assert.equal(offloaded.text, JSON.stringify(offloaded.response));
  const filePath = offloaded.response.file_path;

  const groups = await lro.extract({ filePath, recipe: 6 });
  assert.equal(groups.results.reduce((sum, { count }) => sum + count, 0), records.length);
  const titles = await lro.extract({ filePath, recipe: 1, limit: 2 });
  assert.deepEqual([titles.results.length, titles.truncated], [2, true]);
  const rest = await lro.extract({ filePath, recipe: 1, next: titles.next });
  assert.equal(rest.results.length, records.length - 2);
  const bare = await lro.extract({ filePath, recipe: 1, limit: 2, raw: true });
  assert.deepEqual(bare.results, titles.results);
  assert.equal(bare.text, `${titles.results.join("\n")}\n`);
  const counted = await lro.extract({ filePath, where: ["memory_type=semantic"], count: true });
  assert.deepEqual(counted.results, [records.filter(({ memory_type }) => memory_type === "semantic").length]);

  const into = await lro.extract({ filePath, where: ["memory_type=semantic"], into: true });
  assert.equal(into.results[0].summary.count, counted.results[0]);
  assert.equal((await lro.describe({ filePath })).kind, "memories");
  assert.deepEqual(JSON.parse(await lro.rebuild({ filePath })), records);
});

test("all pages are one list, and keep to the limits of the request", async () => {
  const { fileName } = await lro.offload({ operation: "recall", payload });
  const ids = records.map(({ id }) => id);
  const all = async (request) => {
    const found = [];
    for await (const id of lro.extractAll({ filePath: fileName, query: ".id", chunkBytes: 200, ...request })) found.push(id);
    return found;
  };
  assert.deepEqual(await all({}), ids);
  assert.deepEqual(await all({ limit: 7 }), ids.slice(0, 7));
  const some = await all({ maxBytes: 1000 });
  const bytes = (count) => ids.slice(0, count).reduce((sum, id) => sum + JSON.stringify(id).length + 1, 0);
  assert.deepEqual(some, ids.slice(0, some.length));
  assert.ok(bytes(some.length) <= 1000 && bytes(some.length + 1) > 1000, `${some.length} results`);
  await assert.rejects(all({ maxBytes: 1 }), { case: "limit-reached" });
});

test("settings can be resolved without opening anything else", async () => {
  const settings = await lro.resolve({ settingsText: "[prompt.offload]\nthreshold_tokens = 5\n", ttlSeconds: 7 });
  assert.deepEqual([settings.threshold_tokens, settings.ttl_seconds, settings.enabled], [5, 7, true]);
});

test("a small result is unchanged, and estimates decide", async () => {
  const small = await lro.offload({ operation: "recall", records: records.slice(0, 1), detail: "light", alreadyProjected: true });
  assert.equal(small.outcome, small.estimatedTokens > 1600 ? "offloaded" : "unchanged");
  const tokens = await lro.estimate({ operation: "recall", payload });
  assert.equal((await lro.offload({ operation: "recall", payload, tokens: 1600 })).outcome, "unchanged");
  assert.equal((await lro.offload({ operation: "recall", payload })).estimatedTokens, tokens);
});

test("without files, the text is kept by the caller", async () => {
  const outputDir = shared.temporary();
  const memory = await lro.reopen({ outputDir, store: "content" });
  const { content, outcome } = await memory.offload({ operation: "recall", payload });
  assert.equal(outcome, "offloaded");
  assert.deepEqual(readdirSync(outputDir), []);
  assert.equal((await memory.extract({ content, query: ".id", limit: 1 })).results[0], records[0].id);
});

test("settings come from a file's text and from variables", async () => {
  const other = await lro.reopen({
    outputDir: shared.temporary(),
    settingsText: "[prompt.offload]\nthreshold_tokens = 7\nttl_seconds = 8",
    environment: { ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "9", HOME: "elsewhere" },
  });
  assert.deepEqual([other.settings.threshold_tokens, other.settings.ttl_seconds], [7, 9]);
});

test("no answer has a BigInt", async () => {
  const { response } = await lro.offload({ operation: "recall", payload });
  const answers = [await lro.extract({ filePath: response.file_path, recipe: 6 }), await lro.cleanup({ dryRun: true }), lro.settings];
  // JSON.stringify refuses a BigInt.
  for (const answer of answers) assert.ok(JSON.stringify(answer).length > 2);
});
