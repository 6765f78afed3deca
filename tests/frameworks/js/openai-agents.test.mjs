// The OpenAI Agents SDK with its own fake model, real tools and a real MCP server.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Agent, MCPServerStdio, Usage, defineToolOutputGuardrail, run, setTracingDisabled, tool } from "@openai/agents";
import { ScriptedModel, assistantMessage, functionCall, modelResponder } from "@openai/agents/testing";
import { offloadLargeResults } from "lro-component/openai-agents";

import { FILTER, FOUND, ISSUES, closing, filesOf, filesystem, functions, pathIn, places, resultsIn } from "./frameworks.mjs";

setTracingDisabled(true);

const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };

function toolsOf(place) {
  return Object.entries(functions(place)).map(([name, fn]) => tool({ name, description: name, parameters, execute: async () => fn() }));
}

let id = 0;
const calls = (...all) => all.map(([name, args = {}]) => functionCall(name, args, { callId: `call-${(id += 1)}` }));
const done = [assistantMessage("done")];

/** The outputs of tools in what the model was given, as texts. */
function outputs(request) {
  const items = request.input.filter(({ type }) => type === "function_call_result");
  return items.map(({ output }) => (typeof output === "string" ? output : (output.text ?? JSON.stringify(output))));
}

/** Asks the file of the first response. */
const extraction = modelResponder(({ request }) => calls(["lro_extract", { file_path: pathIn(outputs(request)[0]), ...FILTER }]));

/** An agent runs to its end: the outputs of its tools, and its model. */
async function ran(agent, steps, options) {
  agent.model = new ScriptedModel([...steps, done]);
  const result = await run(agent, "Which are closed?", options);
  if (options?.stream) for await (const _ of result);
  agent.model.assertComplete();
  return { seen: outputs(agent.model.lastCall.request), model: agent.model };
}

for (const stream of [false, true]) {
  test(`large results are replaced, and the model's second call is answered${stream ? ", streamed" : ""}`, async (t) => {
    const place = places(t);
    const made = closing(t, await offloadLargeResults({ name: "agent", tools: toolsOf(place) }, place.options));
    const { seen, model } = await ran(new Agent(made), [calls(["issues"], ["text"]), extraction], { stream });
    const [issues, text, extracted] = seen;
    assert.deepEqual([JSON.parse(issues).offloaded, JSON.parse(text).offloaded], [true, true]);
    assert.deepEqual(resultsIn(extracted), FOUND);
    assert.ok(model.firstCall.request.tools.some((one) => one.name === "lro_extract" && one.parameters.properties.query));
    assert.ok(JSON.stringify(model.lastCall.request.input).length < 10_000);
  });
}

test("errors and small results pass", async (t) => {
  const place = places(t);
  const agent = closing(t, await offloadLargeResults(new Agent({ name: "agent", tools: toolsOf(place) }), place.options));
  const { seen } = await ran(agent, [calls(["small"], ["fails"], ["lro_extract", { file_path: "none", query: "." }])]);
  assert.match(seen[0], /size/);
  assert.match(seen[1], /^An error occurred/);
  assert.match(seen[2], /none/);
  assert.deepEqual(filesOf(place.outputDir), []);
});

test("parallel calls have a file each", async (t) => {
  const place = places(t);
  const agent = closing(t, await offloadLargeResults(new Agent({ name: "agent", tools: toolsOf(place) }), place.options));
  const { seen } = await ran(agent, [calls(...Array(6).fill(["issues"]))]);
  assert.equal(new Set(seen.map(pathIn)).size, 6);
});

test("an MCP server, which two agents share, each with files of its own", async (t) => {
  const place = places(t);
  const server = new MCPServerStdio({ name: "files", ...filesystem(place.data) });
  await server.connect();
  t.after(() => server.close());
  const [one, two] = await Promise.all(["one", "two"].map((name) => offloadLargeResults(new Agent({ name, mcpServers: [server] }), place.options)));
  const read = calls(["read_text_file", { path: place.file }], ["list_directory", { path: place.data }]);
  const first = await ran(one, [read, extraction]);
  assert.deepEqual(resultsIn(first.seen[2]), FOUND);
  assert.match(first.seen[1], /issues\.json/);
  const foreign = calls(["lro_extract", { file_path: pathIn(first.seen[0]), query: "." }]);
  const second = await ran(two, [calls(["read_text_file", { path: place.file }]), extraction, foreign]);
  assert.deepEqual(resultsIn(second.seen[1]), FOUND);
  assert.doesNotMatch(second.seen[2], /Issue 1/);
  assert.equal(new Set(filesOf(place.outputDir).map((name) => name.split("/")[0])).size, 2);
  assert.equal(server.toolOutputGuardrails, undefined, "the server is as it was");
  await Promise.all([one, two].map((agent) => agent[Symbol.asyncDispose]()));
  assert.deepEqual(filesOf(place.outputDir), []);
});

test("guardrails of the user come first, tools with a schema of their output stay, images pass", async (t) => {
  const place = places(t);
  const looked = [];
  const look = defineToolOutputGuardrail({ name: "look", run: async ({ output }) => (looked.push(output.length), { behavior: { type: "allow" } }) });
  const { text } = functions(place);
  const watched = tool({ name: "watched", description: "", parameters, execute: text, outputGuardrails: [look] });
  const outputSchema = { type: "object", properties: { rows: { type: "array" } }, required: ["rows"], additionalProperties: true };
  const typed = tool({ name: "typed", description: "", parameters, outputSchema, execute: () => ({ rows: ISSUES.slice(0, 100) }) });
  const mixed = tool({ name: "mixed", description: "", parameters, execute: () => [{ type: "text", text: "x" }, { type: "image", image: "data:image/png;base64,iVBORw0KGgo=" }] });
  const agent = closing(t, await offloadLargeResults(new Agent({ name: "agent", tools: [watched, typed, mixed] }), place.options));
  assert.equal(agent.tools[1], typed);
  const { seen } = await ran(agent, [calls(["watched"], ["typed"], ["mixed"])]);
  assert.deepEqual(looked, [text().length]);
  assert.equal(JSON.parse(seen[0]).offloaded, true);
  assert.match(seen[1], /Issue 99/);
  assert.match(seen[2], /iVBORw0KGgo/);
});

test("the tokens that the model has read go to the gates, and the context names the session", async (t) => {
  const place = places(t);
  const rows = tool({ name: "rows", description: "", parameters, execute: () => ISSUES.slice(0, 300) });
  const session = ({ context }) => context.user;
  const options = { ...place.options, contextTokens: 100_000, session };
  const seenAfter = async (inputTokens, user) => {
    const agent = closing(t, await offloadLargeResults(new Agent({ name: "agent", tools: [rows] }), options));
    const usage = new Usage({ requests: 1, inputTokens, outputTokens: 0, totalTokens: inputTokens });
    const { seen } = await ran(agent, [{ type: "response", response: { output: calls(["rows"]), usage } }], { context: { user } });
    return JSON.parse(seen[0]);
  };
  assert.equal((await seenAfter(1000, "ann")).offloaded, undefined);
  assert.equal((await seenAfter(69_000, "bob")).offloaded, true);
  assert.deepEqual(filesOf(place.outputDir).map((name) => name.split("/")[0]), ["bob"]);
});
