// The Vercel AI SDK with its own fake model: generateText, streamText, tools of an MCP server.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { offloadLargeResults } from "lro-component/ai";
import { Lro } from "lro-component";

import { FILTER, FOUND, ISSUES, closing, filesOf, filesystem, functions, pathIn, places, resultsIn } from "./frameworks.mjs";

const USAGE = { inputTokens: { total: 10 }, outputTokens: { total: 10 } };

/** Each step is a list of calls, or a function of the prompt that returns one; then the model is done. */
function scripted(...steps) {
  let at = 0;
  const content = (prompt) => {
    const step = steps[at];
    const calls = typeof step === "function" ? step(prompt) : step;
    at += 1;
    if (!calls) return [{ type: "text", text: "done" }];
    return calls.map(([toolName, input = {}], i) => ({ type: "tool-call", toolCallId: `call-${at}-${i}`, toolName, input: JSON.stringify(input) }));
  };
  const finishReason = (parts) => ({ unified: parts[0].type === "text" ? "stop" : "tool-calls", raw: undefined });
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const parts = content(prompt);
      return { content: parts, finishReason: finishReason(parts), usage: USAGE, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const parts = content(prompt);
      const text = [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "done" }, { type: "text-end", id: "1" }];
      const chunks = [...(parts[0].type === "text" ? text : parts), { type: "finish", finishReason: finishReason(parts), usage: USAGE }];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
}

const empty = jsonSchema({ type: "object", properties: {} });

function toolsOf(place) {
  const made = Object.entries(functions(place)).map(([name, fn]) => [name, tool({ description: name, inputSchema: empty, execute: async () => fn() })]);
  return Object.fromEntries(made);
}

/** What the model has seen of the results of a step, as text. */
function seen(prompt, step = 1) {
  const messages = prompt.filter(({ role }) => role === "tool");
  return messages[step - 1].content.map(({ output }) => output);
}

const textOf = (output) => (typeof output.value === "string" ? output.value : JSON.stringify(output.value));
const extraction = (prompt) => [["lro_extract", { file_path: pathIn(textOf(seen(prompt)[0])), ...FILTER }]];

async function generated(tools, ...steps) {
  const model = scripted(...steps);
  const result = await generateText({ model, tools, prompt: "Which are closed?", stopWhen: stepCountIs(5) });
  return { model, result, prompt: model.doGenerateCalls.at(-1).prompt };
}

for (const name of ["issues", "text"]) {
  test(`a large result (${name}) is replaced, and the model's second call is answered`, async (t) => {
    const place = places(t);
    const tools = closing(t, await offloadLargeResults(toolsOf(place), place.options));
    const { model, prompt } = await generated(tools, [[name]], extraction);
    assert.ok(model.doGenerateCalls[0].tools.some((one) => one.name === "lro_extract" && one.inputSchema.properties.query));
    const [response] = seen(prompt);
    assert.equal(response.type, name === "text" ? "text" : "json");
    assert.ok(textOf(response).length < 4000);
    assert.deepEqual(resultsIn(textOf(seen(prompt, 2)[0])), FOUND);
  });
}

test("errors and small results pass, and the tools are the same where there is nothing to do", async (t) => {
  const place = places(t);
  const value = { size: 7 };
  const caller = Object.defineProperty(tool({ inputSchema: empty, execute: () => value }), "experimental_toolCaller", { value: "code" });
  const theirs = { ...toolsOf(place), caller, same: tool({ inputSchema: empty, execute: () => value }), asks: tool({ inputSchema: empty }) };
  const tools = closing(t, await offloadLargeResults(theirs, place.options));
  assert.equal(tools.asks, theirs.asks, "a tool without execute");
  assert.equal(tools.caller.experimental_toolCaller, "code", "what is not enumerated");
  assert.equal(await tools.same.execute({}, { toolCallId: "1", messages: [] }), value);
  const { prompt } = await generated(tools, [["small"], ["fails"], ["lro_extract", { file_path: "none", query: "." }]]);
  const [small, fails, ours] = seen(prompt);
  assert.equal(small.type, "json");
  assert.match(fails.value, /the tracker is down/);
  assert.deepEqual([fails.type, ours.type], ["error-text", "error-text"]);
  assert.match(ours.value, /none/);
  assert.deepEqual(filesOf(place.outputDir), []);
});

test("parallel calls have a file each", async (t) => {
  const place = places(t);
  const tools = closing(t, await offloadLargeResults(toolsOf(place), place.options));
  const { prompt } = await generated(tools, Array(6).fill(["issues"]));
  const paths = seen(prompt).map((output) => pathIn(textOf(output)));
  assert.equal(new Set(paths).size, 6);
});

test("streamText: outputs of a generator pass, the last is replaced", async (t) => {
  const place = places(t);
  const { issues } = functions(place);
  const progress = tool({
    inputSchema: empty,
    async *execute() {
      yield { status: "loading" };
      yield issues();
    },
  });
  const tools = closing(t, await offloadLargeResults({ ...toolsOf(place), progress }, place.options));
  const model = scripted([["progress"], ["issues"]], extraction);
  const stream = streamText({ model, tools, prompt: "Which are closed?", stopWhen: stepCountIs(5) });
  const outputs = [];
  for await (const part of stream.fullStream) if (part.type === "tool-result" && part.toolName === "progress") outputs.push(part);
  assert.deepEqual(outputs[0].output, { status: "loading" });
  assert.equal(outputs[1].output.length, ISSUES.length, "a preliminary output is for users");
  assert.equal(outputs.at(-1).output.offloaded, true);
  const { prompt } = model.doStreamCalls.at(-1);
  assert.equal(JSON.stringify(prompt).length < 12_000, true);
  assert.deepEqual(resultsIn(textOf(seen(prompt, 2)[0])), FOUND);
});

test("a tool that converts for the model keeps its output, and what the model sees is replaced", async (t) => {
  const place = places(t);
  const { issues } = functions(place);
  const brief = tool({ inputSchema: empty, execute: issues, toModelOutput: ({ output }) => ({ type: "text", value: `${output.length} issues` }) });
  const whole = tool({ inputSchema: empty, execute: issues, toModelOutput: ({ output }) => ({ type: "json", value: { issues: output } }) });
  const image = { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } };
  const parts = ({ output }) => ({ type: "content", value: [{ type: "text", text: JSON.stringify(output) }, image] });
  const mixed = tool({ inputSchema: empty, execute: issues, toModelOutput: parts });
  const tools = closing(t, await offloadLargeResults({ brief, whole, mixed }, place.options));
  const { result, prompt } = await generated(tools, [["brief"], ["whole"], ["mixed"]]);
  const [short, json, content] = seen(prompt);
  assert.deepEqual(short, { type: "text", value: "5000 issues" });
  assert.equal(json.value.offloaded, true);
  assert.equal(JSON.parse(content.value[0].text).offloaded, true);
  assert.deepEqual([content.value[1].type, content.value[1].data], [image.type, image.data]);
  assert.ok(result.steps[0].toolResults.every(({ output }) => output.length === ISSUES.length));
  assert.equal(filesOf(place.outputDir).length, 2);
});

for (const schemas of ["automatic", { read_text_file: { inputSchema: jsonSchema({ type: "object", properties: { path: { type: "string" } } }) } }]) {
  test(`tools of an MCP server, schemas ${typeof schemas === "string" ? schemas : "given"}`, async (t) => {
    const place = places(t);
    const client = await createMCPClient({ transport: new StdioTransport({ ...filesystem(place.data), stderr: "ignore" }) });
    t.after(() => client.close());
    const tools = closing(t, await offloadLargeResults(await client.tools({ schemas }), place.options));
    const read = ["read_text_file", { path: place.file }];
    const { prompt } = await generated(tools, [read, ["read_text_file", { path: join(place.data, "none") }]], extraction);
    const [response, missing] = seen(prompt);
    assert.equal(JSON.parse(response.value[0].text).offloaded, true);
    assert.match(textOf(missing), /ENOENT/);
    assert.deepEqual(resultsIn(textOf(seen(prompt, 2)[0])), FOUND);
  });
}

test("a result that a server has offloaded passes, and so do answers of its tools", async (t) => {
  const place = places(t);
  const inner = await offloadLargeResults(toolsOf(place), { outputDir: place.outputDir, session: "server" });
  t.after(() => inner[Symbol.asyncDispose]());
  const response = await inner.issues.execute({}, { toolCallId: "1", messages: [] });
  const theirs = { issues: inner.issues, server_lro_read: tool({ inputSchema: empty, execute: functions(place).text }), given: tool({ inputSchema: empty, execute: () => response }) };
  const tools = closing(t, await offloadLargeResults(theirs, { ...place.options, thresholdTokens: 20, session: "agent" }));
  assert.equal((await tools.issues.execute({}, {})).offloaded, true);
  assert.equal(await tools.given.execute({}, {}), response);
  assert.equal((await tools.server_lro_read.execute({}, {})).length > 100_000, true);
  assert.ok(filesOf(place.outputDir).every((name) => name.startsWith("server")));
  await assert.rejects(offloadLargeResults(inner, place.options), /lro_describe.*toolPrefix/);
});

test("agents have a session each, and one cannot read the other's files", async (t) => {
  const place = places(t);
  const lro = await Lro.open({ outputDir: place.outputDir });
  t.after(() => lro.close());
  const [one, two] = await Promise.all([0, 1].map(() => offloadLargeResults(toolsOf(place), { lro })));
  const [first, second] = await Promise.all([one, two].map((tools) => generated(tools, [["issues"]], extraction)));
  const paths = [first, second].map(({ prompt }) => pathIn(textOf(seen(prompt)[0])));
  const foreign = await generated(two, [["lro_extract", { file_path: paths[0], query: "." }]]);
  assert.equal(seen(foreign.prompt)[0].type, "error-text");
  await one[Symbol.asyncDispose]();
  assert.deepEqual(filesOf(place.outputDir).length, 1, "the other's");
  await two[Symbol.asyncDispose]();
  assert.deepEqual(filesOf(place.outputDir), []);
});

test("a session for each user, named by what the SDK hands to a tool", async (t) => {
  const place = places(t);
  const session = ({ context }) => context?.user;
  const tools = await offloadLargeResults(toolsOf(place), { ...place.options, session });
  await Promise.all(["ann", "bob"].map((user) => tools.issues.execute({}, { context: { user }, messages: [] })));
  assert.deepEqual(filesOf(place.outputDir).map((name) => name.split("/")[0]).sort(), ["ann", "bob"]);
  await tools[Symbol.asyncDispose]();
  assert.equal(filesOf(place.outputDir).length, 2, "sessions with names are kept");
});

test("the messages say how full the window is", async (t) => {
  const place = places(t);
  const seenOf = async (text) => {
    const tools = closing(t, await offloadLargeResults({ rows: tool({ inputSchema: empty, execute: () => ISSUES.slice(0, 100) }) }, { ...place.options, contextTokens: 100_000 }));
    return tools.rows.execute({}, { toolCallId: "1", messages: [{ role: "user", content: text }] });
  };
  assert.equal((await seenOf("short")).length, 100);
  assert.equal((await seenOf("x".repeat(290_000))).offloaded, true);
});
