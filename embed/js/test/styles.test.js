// Functions, stretches of work, and what a caller says of a list.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Lro } from "../src/index.js";
import { examples } from "./examples.js";
import { shared } from "./shared.js";

const ROWS = Array.from({ length: 2000 }, (_, id) => ({ id, kind: id % 2 ? "odd" : "even" }));
const failed = (events) => events.map(({ name }) => name).filter((name) => name === "SummaryFailed");
let lro;
before(async () => (lro = await Lro.open({ outputDir: shared.temporary() })));
after(() => lro.close());

test("what is not replaced is the same object", async () => {
  for (const given of [{ records: [{ id: 1 }] }, { value: { id: 1 } }, { value: "text" }, { payload: "[1]" }, { value: null }]) {
    const answer = await lro.offload({ operation: "rows", ...given });
    assert.equal(answer.outcome, "unchanged");
    assert.equal(answer.result, "value" in given ? given.value : (given.payload ?? given.records));
  }
  const row = { id: 1 };
  assert.equal(await lro.wrap(() => row)(), row);
  assert.equal(await lro.wrap(() => undefined)(), undefined);
});

test("a function that is wrapped returns its value or the response", async () => {
  const object = {
    factor: 2000,
    async rows(count, kind) {
      return { kind, rows: ROWS.slice(0, count * this.factor) };
    },
  };
  object.large = lro.wrap(object.rows);
  assert.equal(object.large.name, "rows");
  const response = await object.large(1, "any");
  assert.deepEqual([response.offloaded, response.summary.count, response.summary.operation], [true, 2000, "rows"]);
  assert.deepEqual(response.inline, { kind: "any" });
  await assert.rejects(lro.wrap(() => Promise.reject(new Error("its own")))(), /its own/);
  assert.throws(() => lro.wrap(7), { case: "invalid-argument" });
});

test("a session has a folder that is emptied", async () => {
  const folder = join(lro.outputDir, "work");
  const count = await lro.withSession("work", async (session) => {
    const answer = await session.offload({ operation: "rows", value: ROWS });
    assert.equal(readdirSync(folder).length, 1);
    await session.wrap(() => ROWS)();
    assert.equal(readdirSync(folder).length, 2);
    return (await session.extract({ filePath: answer.fileName, query: "length", slurp: true })).results[0];
  });
  assert.equal(count, 2000);
  assert.ok(!existsSync(folder) || readdirSync(folder).length === 0);
  await assert.rejects(lro.withSession("work", () => Promise.reject(new Error("its own"))), /its own/);
});

test("a session without a valid name is refused before anything is done", async (t) => {
  const own = await lro.with({ outputDir: shared.temporary() });
  t.after(() => own.cleanup({ all: true }));
  const { fileName } = await own.offload({ operation: "rows", value: ROWS, session: "other" });
  const wrong = [undefined, null, "", 7, {}, "a b", "../other", "CON", ".", "x".repeat(65), "caf\u00e9", "other\n"];
  for (const name of wrong) {
    const refused = { name: "LroError", case: "invalid-argument", message: /^cannot open the session: its name /, hint: /1 to 64 characters/ };
    assert.throws(() => own.session(name), refused);
    await assert.rejects(own.withSession(name, () => assert.fail("the function was called")), refused);
    await assert.rejects(own.cleanup({ session: name, all: true }), { case: "invalid-argument", message: /^cannot clean up the session: its name / });
  }
  assert.ok(existsSync(join(own.outputDir, fileName)));
  assert.deepEqual(readdirSync(own.outputDir), ["other"]);
});

test("a session keeps its name, so that it deletes its own files only", async () => {
  const own = await lro.with({ outputDir: shared.temporary() });
  const { fileName } = await own.offload({ operation: "rows", value: ROWS });
  const session = own.session("work");
  await session.offload({ operation: "rows", value: ROWS });
  assert.throws(() => (session.name = undefined), TypeError);
  assert.equal((await session.close()).deleted, 1);
  assert.ok(existsSync(join(own.outputDir, fileName)));
});

test("an error of the work is not replaced by one of the session's end", async (t) => {
  const own = await lro.with({ outputDir: shared.temporary() });
  const lost = () => rmSync(own.outputDir, { recursive: true });
  const warned = [];
  const listen = (warning) => warned.push(warning);
  process.on("warning", listen);
  t.after(() => process.off("warning", listen));
  for (const thrown of [new TypeError("its own"), "a text", undefined, Object.freeze(new Error("frozen"))]) {
    mkdirSync(own.outputDir, { recursive: true });
    const failed = own.withSession("work", () => {
      lost();
      throw thrown;
    });
    assert.equal(await failed.then(() => assert.fail("nothing was thrown"), (error) => error), thrown);
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(warned.length, 4);
  assert.equal(warned[0].name, "LroWarning");
  assert.match(warned[0].message, /^the session `work` was not emptied, so its files stay until they expire: ./);

  mkdirSync(own.outputDir, { recursive: true });
  await assert.rejects(own.withSession("work", lost), { name: "LroError" });
  await assert.rejects(own.withSession("work"), { case: "invalid-argument", message: /withSession takes a function/ });
});

test("a function says what a list is about, if the result is large", async () => {
  const seen = [];
  const sections = {
    ".rows": {
      summary: async (rows) => seen.push(rows.length) && { rows: rows.length },
      schema: { id: "a number" },
    },
  };
  const offload = (given) => lro.offload({ operation: "rows", sections, ...given });
  const small = await offload({ value: { rows: ROWS.slice(0, 2) } });
  assert.deepEqual([small.outcome, seen], ["unchanged", []]);
  for (const given of [{ value: { rows: ROWS } }, { payload: JSON.stringify({ rows: ROWS }) }]) {
    const { response, events } = await offload(given);
    assert.deepEqual([response.summary.given, response.line_schema], [{ rows: 2000 }, { id: "a number" }]);
    assert.deepEqual(failed(events), []);
  }
});

test("a function that fails does not fail the offload", async () => {
  const functions = [() => undefined.x, (rows) => rows, () => Promise.reject(new Error("no")), () => ({ n: 1n })];
  for (const summary of functions) {
    const { outcome, response, events } = await lro.offload({ operation: "rows", records: ROWS, sections: { ".": { summary } } });
    assert.deepEqual([outcome, response.summary.given, failed(events)], ["offloaded", undefined, ["SummaryFailed"]]);
  }
});

test("recipes of the caller are run by number", async () => {
  const recipes = [
    { name: "of a kind", query: "select(.kind == $kind) | .id", params: { kind: "odd" } },
    { description: "How many there are", query: "length", slurp: true },
  ];
  const { response } = await lro.offload({ operation: "rows", records: ROWS, sections: { ".": { recipes } } });
  const run = async (request) => (await lro.extract({ filePath: response.file_path, limit: 2, ...request })).results;
  assert.deepEqual(await run({ recipe: 1 }), [1, 3]);
  assert.deepEqual(await run({ recipe: 1, params: { kind: "even" } }), [0, 2]);
  assert.deepEqual(await run({ recipe: 2 }), [2000]);
  await assert.rejects(run({ recipe: 3 }), { case: "invalid-argument" });
  const wrong = { ".": { recipes: [{ name: "x", query: ".a |" }] } };
  await assert.rejects(lro.offload({ operation: "rows", records: ROWS, sections: wrong }), /recipe 1 of section `\.` is not a valid filter/);
});

test("the README's functions run", async () => {
  const code = examples().find((code) => code.includes("lro.wrap("));
  const body = code.replace(/^import .*$/m, "").replace('outputDir: "./results"', "outputDir").concat("\nawait lro.close();\nreturn result;");
  const run = new (Object.getPrototypeOf(async () => {}).constructor)("Lro", "outputDir", "orders", body);
  const orders = async () => ROWS.map(({ id }) => ({ id, open: id < 3, total: id }));
  const response = await run(Lro, shared.temporary(), orders);
  assert.equal(response.summary.given, "2000 orders, the first is 0");
});
