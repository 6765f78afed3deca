// The integrations as a user has them: their types against those of the frameworks, the README's examples, `require`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import { closing, filesOf, functions, places } from "./frameworks.mjs";

const HERE = import.meta.dirname;

/** The README's examples for frameworks: `ts`, for what needs more than this package. */
function examples() {
  const text = readFileSync(join(HERE, "node_modules", "lro-component", "README.md"), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
}

test("the types of a consumer and of the README's examples hold", () => {
  const files = examples().map((code, i) => [join(HERE, "types", `readme-${i + 1}.mts`), code]);
  assert.ok(files.length >= 5, `${files.length} examples`);
  try {
    for (const [file, code] of files) writeFileSync(file, `${code}\nexport {};\n`);
    // The frameworks' own types have mistakes beside each other, so declarations are not checked: each line below
    // `@ts-expect-error` tells that a type of ours has not become `any`.
    const tsc = join("node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "--project", "types"], { cwd: HERE, encoding: "utf8" });
    assert.equal(stdout, "");
  } finally {
    for (const [file] of files) rmSync(file);
  }
});

test("each integration can be required, and shares its threads with the package", async (t) => {
  const place = places(t);
  const require = createRequire(import.meta.url);
  const folder = join(HERE, "node_modules", "lro-component", "component");
  const { Lro } = require(join(folder, "index.cjs"));
  const lro = await Lro.open(place.options);
  t.after(() => lro.close());
  const load = (name) => require(join(folder, `${name}.cjs`)).offloadLargeResults;
  const { text } = functions(place);

  const tools = closing(t, await load("ai")({ text: { inputSchema: {}, execute: text } }, { lro }));
  assert.match(await tools.text.execute({}, {}), /^{"offloaded":true/);
  const middleware = closing(t, await load("langchain")({ lro }));
  const message = new (require("langchain").ToolMessage)({ content: text(), tool_call_id: "1" });
  const request = { toolCall: { name: "text", args: {}, id: "1" }, state: { messages: [] }, runtime: {} };
  assert.match((await middleware.wrapToolCall(request, () => message)).content, /^{"offloaded":true/);
  const agent = await load("openai-agents")({ name: "agent", tools: [] }, { lro });
  assert.deepEqual(agent.tools.map(({ name }) => name).slice(0, 2), ["lro_describe", "lro_extract"]);
  const options = await load("claude")({}, { lro });
  const event = { tool_name: "mcp__a__text", tool_input: {}, tool_response: [{ type: "text", text: text() }] };
  const { hookSpecificOutput } = await options.hooks.PostToolUse[0].hooks[0](event);
  assert.match(hookSpecificOutput.updatedToolOutput[0].text, /^{"offloaded":true/);
  assert.equal(filesOf(place.outputDir).length, 3);
});

test("settings beside an Lro hold for the agent alone", async (t) => {
  const place = places(t);
  const { Lro } = await import("lro-component");
  const { ToolResults } = await import("lro-component/tool-results");
  const lro = await Lro.open(place.options);
  t.after(() => lro.close());
  const [high, low] = await Promise.all([1_000_000, 100].map((thresholdTokens) => ToolResults.open({ lro, thresholdTokens })));
  const rows = functions(place).issues().slice(0, 50);
  assert.equal(await high.offloadResult("rows", {}, rows), rows);
  assert.equal((await low.offloadResult("rows", {}, rows)).offloaded, true);
  await low.close();
  assert.equal(await low.offloadResult("rows", {}, rows), rows, "closed: everything passes");
  assert.equal((await low.call("lro_extract", {})).isError, true);
  assert.equal(lro.settings.threshold_tokens, 1600);
  assert.deepEqual(filesOf(place.outputDir), []);
});

test("what cannot be a result of ours passes, and a mistake in a call is an answer", async (t) => {
  const place = places(t);
  const { ToolResults } = await import("lro-component/tool-results");
  const results = closing(t, await ToolResults.open({ ...place.options, thresholdTokens: 10 }));
  const cycle = {};
  cycle.self = cycle;
  const strange = [undefined, null, cycle, { n: 10n }, () => 1, Symbol("s"), new Map([[1, 2]]), { content: [] }, { content: [null] }, { content: [{ type: "text", text: 5 }] }];
  for (const value of strange) assert.equal(await results.offloadResult("t", "no object", value), value);
  for (const given of [undefined, null, {}, { file_path: 7 }, { file_path: "/etc/passwd", query: "." }]) {
    assert.equal((await results.call("lro_extract", given)).isError, true);
  }
});

test("a process that ends by itself deletes the files of its agents, but for those with a name", (t) => {
  const place = places(t);
  const program = `
    import { ToolResults } from "lro-component/tool-results";
    import { readFileSync } from "node:fs";
    const [file, outputDir, session] = process.argv.slice(1);
    const results = await ToolResults.open({ outputDir, session });
    const { file_path } = await results.offloadResult("t", {}, JSON.parse(readFileSync(file, "utf8")));
    console.log(file_path);`;
  const run = (...session) => spawnSync(process.execPath, ["--input-type=module", "-e", program, place.file, place.outputDir, ...session], { cwd: HERE, encoding: "utf8" });
  assert.match(run().stdout, /jsonl/);
  assert.deepEqual(filesOf(place.outputDir), []);
  run("kept");
  assert.deepEqual(filesOf(place.outputDir).map((name) => name.split("/")[0]), ["kept"]);
});

test("where there is no room for files, every result passes and an event says so", async (t) => {
  const place = places(t);
  writeFileSync(join(place.outputDir, "file"), "");
  const { offloadLargeResults } = await import("lro-component/ai");
  const events = [];
  const options = { outputDir: join(place.outputDir, "file"), onEvent: ({ name }) => events.push(name) };
  const tools = await offloadLargeResults({ text: { inputSchema: {}, execute: functions(place).text } }, options);
  assert.equal(await tools.text.execute({}, {}), functions(place).text());
  assert.deepEqual([Object.keys(tools), events], [["text"], ["OffloadingUnavailable"]]);
  await tools[Symbol.asyncDispose]();
  const { offloadLargeResults: offloadQuery } = await import("lro-component/claude");
  const query = closing(t, await offloadQuery({ cwd: "." }, options));
  assert.deepEqual(query, { cwd: "." });
  await assert.rejects(offloadLargeResults({}, { tresholdTokens: 1 }), { case: "invalid-argument" });
});

test("what is not an object is refused before anything is opened", async () => {
  for (const framework of ["ai", "openai-agents", "claude"]) {
    const { offloadLargeResults } = await import(`lro-component/${framework}`);
    for (const wrong of [null, "tools", [], 7]) {
      const refused = { name: "LroError", case: "invalid-argument", message: /^the .* are an object, not / };
      await assert.rejects(offloadLargeResults(wrong), refused, framework);
    }
  }
});
