// What tools return for an agent: which results are parts, what has a JSON form, and what a program's own log costs.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";

import { isExact, resultOf } from "../src/exact.js";
import { Lro } from "../src/index.js";
import { offloadLargeResults } from "../src/mcp.js";
import { inMcp } from "../src/result-forms.js";
import { ToolResults } from "../src/tool-results.js";
import { shared } from "./shared.js";

const rows = (make) => Array.from({ length: 600 }, (_, id) => make(id));
const TEXT = "lorem ipsum dolor sit amet ";
const PNG = { type: "image", data: "aGk=", mimeType: "image/png" };

const DATA = {
  "records with a type": rows((id) => ({ id, type: id % 5 ? "text" : "image", text: TEXT, from: "Ann" })),
  "records of one type": rows((id) => ({ id, type: "text", text: TEXT })),
  "a corpus with annotations": rows(() => ({ type: "text", text: TEXT, annotations: [{ start: 1 }] })),
  "an object with a type": { type: "text", text: TEXT.repeat(600), author: "Ann" },
  "a page of typed records": { title: "x", content: rows((author) => ({ type: "text", text: TEXT, author })), total: 600 },
  "content beside rows": { content: [], rows: rows((id) => ({ id, text: TEXT })) },
  "a document tree": { type: "doc", content: rows(() => ({ type: "paragraph", content: [{ type: "text", text: TEXT }] })) },
  "files of a folder": [{ type: "text", text: TEXT.repeat(600) }, { type: "file", name: "a", size: 1 }],
};

test("data is offloaded whole, whatever its members are called", async (t) => {
  const results = await ToolResults.open({ outputDir: shared.temporary() });
  t.after(() => results.close());
  for (const [name, value] of Object.entries(DATA)) {
    const { content } = inMcp(value).result;
    assert.deepEqual(content.map(({ text }) => JSON.parse(text)), [value], name);
    assert.equal((await results.offloadResult("tool", {}, value)).offloaded, true, name);
  }
  const written = JSON.stringify(DATA["an object with a type"]);
  assert.equal(inMcp(written).result.content[0].text, written);
});

test("parts and results of MCP keep their form", () => {
  const replaced = { content: [{ type: "text", text: "response" }] };
  const said = { type: "text", text: "a", annotations: { priority: 1 }, _meta: {} };
  const resource = { type: "resource", resource: { uri: "x://y", text: "b" } };
  const cases = [
    [{ content: [said, PNG, resource], structuredContent: {}, isError: false }, replaced],
    [[said, PNG], [replaced.content[0], PNG]],
    [[said, { type: "image_url", image_url: { url: "x" } }], [replaced.content[0], { type: "image_url", image_url: { url: "x" } }]],
    [[said, resource], [replaced.content[0]]],
    // As LangChain and Anthropic have it.
    [[{ type: "text", text: "a", index: 0, citations: null, annotations: [{ type: "citation" }] }, PNG], [replaced.content[0], PNG]],
    [{ type: "text", text: "a", providerOptions: {} }, replaced.content[0]],
    ['{"type":"text","text":"a"}', "response"],
  ];
  for (const [value, expected] of cases) assert.deepEqual(inMcp(value).back(replaced), expected);
});

test("what has no JSON form stays, with an event, and a BigInt is an integer", async (t) => {
  const outputDir = shared.temporary();
  const events = [];
  const results = await ToolResults.open({ outputDir, onEvent: (event) => events.push(event) });
  const lro = await Lro.open({ outputDir });
  t.after(() => Promise.all([results.close(), lro.close()]));
  const cyclic = [];
  cyclic.push(cyclic);
  const generator = (function* () {})();
  for (const value of [cyclic, () => 1, Symbol("a"), new Map([[1, 2]]), new Set([1]), generator, Promise.resolve(1)]) {
    const answer = await lro.offload({ operation: "odd", value });
    assert.deepEqual([answer.outcome, answer.text, answer.events.map(({ name }) => name)], ["unchanged", "", ["OffloadFailed"]]);
    assert.equal(answer.result, value);
    // What a promise has is what a caller gets of it.
    assert.equal(await results.offloadResult("odd", {}, value), await value);
    assert.match(events.pop().message, /no JSON form/);
    if (typeof value.then === "function") continue;
    assert.equal(await lro.wrap(() => value, { onEvent: (event) => events.push(event) })(), value);
    assert.equal(events.pop().name, "OffloadFailed");
  }
  const large = rows((id) => ({ id: BigInt(id) + 2n ** 64n, text: TEXT }));
  for (const { file_path } of [await results.offloadResult("big", { n: 1n }, large), await lro.wrap(() => large)()]) {
    assert.equal((await lro.extract({ filePath: file_path, query: ".id", limit: 1 })).text, `${2n ** 64n}\n`);
  }
});

test("numbers keep their digits", async (t) => {
  for (const number of ["9007199254740993", "1e400", "-0.1234567890123456789"]) assert.equal(isExact(`[${number}]`), false, number);
  const exact = ["[9007199254740992]", "[0.30000000000000004]", '["9007199254740993"]', "[1.0000000000000000]", "[1e100,2e200]"];
  for (const text of [...exact, String.raw`["a\"9007199254740993\\",1e100]`]) assert.ok(isExact(text), text);
  assert.equal(isExact(JSON.stringify(["\"".repeat(6_000_000)]).replace("]", ",9007199254740993]")), false);
  const result = (number) => `{"content":[{"type":"text","text":"x"}],"structuredContent":{"n":${number}}}`;
  assert.deepEqual([resultOf(result(1)).structuredContent, resultOf(result(2 ** 53 + "1")).structuredContent], [{ n: 1 }, undefined]);
  const lro = await Lro.open({ outputDir: shared.temporary() });
  t.after(() => lro.close());
  const payload = `[${rows(() => '{"id":9007199254740993}').join()}]`;
  const { response } = await lro.offload({ operation: "big", payload });
  const asked = ["lro_extract", { file_path: response.file_path, query: ".id", limit: 1 }];
  assert.match(await lro.mcpCallText(...asked), /"structuredContent":\{.*\[9007199254740993\]/);
  const { content, structuredContent } = await lro.mcpCall(...asked);
  assert.match(content[0].text, /9007199254740993/);
  assert.equal(structuredContent, undefined);
});

test("a log that fails costs no result", async (t) => {
  const warnings = [];
  const warned = (warning) => warnings.push(warning.message);
  process.on("warning", warned);
  t.after(() => process.off("warning", warned));
  for (const onEvent of [() => assert.fail("broken"), async () => assert.fail("broken"), 5]) {
    const results = await ToolResults.open({ outputDir: shared.temporary(), onEvent });
    for (let turn = 0; turn < 2; turn++) assert.equal((await results.offloadResult("rows", {}, rows((id) => ({ id, text: TEXT })))).offloaded, true);
    await results.close();
  }
  const server = { connect: (transport) => (server.transport = transport) };
  const large = await offloadLargeResults(server, { outputDir: shared.temporary(), onEvent: () => assert.fail("broken") });
  const sent = [];
  server.connect({ send: async (message) => sent.push(message) });
  server.transport.onmessage = () => {};
  t.after(() => large.close());
  server.transport.send({ jsonrpc: "2.0", method: "x" });
  const { outcome } = await large.offload({ operation: "rows", value: rows((id) => ({ id, text: TEXT })) });
  assert.equal(outcome, "offloaded");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(warnings.filter((message) => message.startsWith("onEvent failed")).length, 4);
});

test("a directory that is deleted is made again by the next write, and small results pass when all is closed", async () => {
  const lro = await Lro.open({ outputDir: shared.temporary() });
  const value = rows((id) => ({ id, text: TEXT }));
  rmSync(lro.outputDir, { recursive: true });
  const { outcome, response } = await lro.offload({ operation: "rows", value });
  assert.equal(outcome, "offloaded");
  const [into] = (await lro.extract({ filePath: response.file_path, query: ".id", into: true })).results;
  assert.equal(into.offloaded, true);
  await lro.close();
  const small = { id: 1 };
  assert.equal(await lro.wrap(() => small)(), small);
  assert.equal((await lro.mcpOffloadResult("rows", {}, { content: [] })).message, undefined);
  assert.equal((await lro.offload({ operation: "rows", value })).outcome, "truncated");
});

test("a model is told what it can do, not what an operator can", async (t) => {
  const lro = await Lro.open({ outputDir: shared.temporary(), timeoutMs: 300 });
  t.after(() => lro.close());
  const { response } = await lro.offload({ operation: "rows", value: rows((id) => ({ id, text: TEXT })) });
  const { isError, content } = await lro.mcpCall("lro_extract", { file_path: response.file_path, query: "last(range(1e12))" });
  assert.equal(isError, true);
  assert.match(content[0].text, /longer than 300 ms; look at less at once: .*`lines`/);
});
