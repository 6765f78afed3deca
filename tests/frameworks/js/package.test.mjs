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
  await assert.rejects(offloadLargeResults({}, { tresholdTokens: 1 }), { case: "invalid-argument" });
});
