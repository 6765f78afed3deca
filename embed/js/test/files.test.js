// Which files there are, how long they live, and that writing deletes what has expired.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Lro } from "../src/index.js";
import { shared } from "./shared.js";

const records = Array.from({ length: 2000 }, (_, id) => ({ id, title: `Title ${id}` }));
const header = { type: "lro_header", operation: "recall", query: null, count: 1, schema_version: "1.0.0", estimated_tokens: 3, detail: "light" };
const PAST = "2020-01-01T00:00:00.000Z";

let lro;
before(async () => (lro = await Lro.open({ outputDir: shared.temporary() })));
after(() => lro.close());

/** The component on a directory with a file that expired long ago, in the folder of a session. */
async function withExpired(lroKeys = {}) {
  const outputDir = shared.temporary();
  const name = "atlatl-recall-00000000000000000000000001.jsonl";
  const file = join(outputDir, "s-1", name);
  mkdirSync(join(outputDir, "s-1"));
  writeFileSync(file, `${JSON.stringify({ ...header, timestamp: PAST, lro: lroKeys })}\n{"id":"m1"}\n`);
  return { one: await lro.reopen({ outputDir }), outputDir, file };
}

test("an offload sweeps what has expired", async () => {
  const { one, outputDir, file } = await withExpired();
  await assert.rejects(one.extract({ filePath: file, query: ".id" }), { case: "not-found", message: /it expired at 2020-01-01T01:00:00Z/ });
  const { fileName, events } = await one.offload({ operation: "recall", records });
  assert.deepEqual(events.map(({ name }) => name), ["OffloadFileExpired"]);
  assert.ok(!existsSync(join(outputDir, "s-1")), "the folder goes with its last file");
  assert.deepEqual(readdirSync(outputDir), [fileName]);
});

test("the result of a tool sweeps what has expired", async () => {
  const { one, file } = await withExpired();
  const result = { content: [{ type: "text", text: JSON.stringify(records) }] };
  const { events } = await one.mcpOffloadResult("recall", {}, result);
  assert.ok(events.some(({ name }) => name === "OffloadFileExpired") && !existsSync(file));
});

test("a kept file is read, and not swept", async () => {
  const { one, file } = await withExpired({ kept: true });
  await one.offload({ operation: "recall", records });
  assert.deepEqual((await one.extract({ filePath: file, query: ".id" })).results, ["m1"]);
});

test("files are listed with their checksums, copied and purged", async () => {
  const { one, outputDir, file } = await withExpired();
  const { files, total, next } = await one.listFiles();
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  assert.deepEqual([files.length, total, next, files[0].sha256, files[0].expired], [1, 1, null, sha256, true]);
  const { files: [copy], missing } = await one.copies({ filePath: file });
  assert.deepEqual(missing, []);
  const kept = `${copy.header}\n${readFileSync(file).subarray(copy.header_bytes)}`;
  writeFileSync(file, kept);
  assert.deepEqual((await one.extract({ filePath: file, query: ".id" })).results, ["m1"]);
  assert.equal((await one.cleanup({ all: true })).deleted, 1);
  assert.deepEqual(readdirSync(outputDir), []);
});
