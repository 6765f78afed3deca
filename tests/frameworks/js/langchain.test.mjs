// LangChain with its own fake model, real tools and tools of an MCP server.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AIMessage, FakeToolCallingModel, HumanMessage, ToolMessage, createAgent, fakeModel, tool } from "langchain";
import { Command } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { offloadLargeResults } from "lro-component/langchain";

import { FILTER, FOUND, ISSUES, closing, filesOf, filesystem, functions, pathIn, places, resultsIn } from "./frameworks.mjs";

const schema = { type: "object", properties: {} };

function toolsOf(place) {
  return Object.entries(functions(place)).map(([name, fn]) => tool(async () => fn(), { name, description: name, schema }));
}

const calls = (...names) => names.map(([name, args = {}], i) => ({ name, args, id: `call-${i}-${name}` }));

/** Asks the file of the first response. */
const extraction = (messages) => {
  const { content } = messages.find((message) => ToolMessage.isInstance(message));
  return new AIMessage({ content: "", tool_calls: calls(["lro_extract", { file_path: pathIn(textOf(content)), ...FILTER }]) });
};

const textOf = (content) => (typeof content === "string" ? content : JSON.stringify(content));
const done = new AIMessage("done");

/** An agent runs to its end: the messages of tools, and its model. */
async function ran(options, tools, ...steps) {
  const model = steps.reduce((one, step) => (Array.isArray(step) ? one.respondWithTools(step) : one.respond(step)), fakeModel());
  const agent = createAgent({ model, tools, middleware: [options.middleware] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Which are closed?")] }, options.config);
  return { messages: messages.filter((message) => ToolMessage.isInstance(message)), model, agent };
}

for (const name of ["issues", "text"]) {
  test(`a large result (${name}) is replaced, and the model's second call is answered`, async (t) => {
    const place = places(t);
    const middleware = closing(t, await offloadLargeResults(place.options));
    const { messages, model } = await ran({ middleware }, toolsOf(place), calls([name]), extraction, done);
    assert.equal(JSON.parse(messages[0].content).offloaded, true);
    assert.equal(messages[0].name, name);
    assert.deepEqual(resultsIn(messages[1].content), FOUND);
    const seen = model.calls.at(-1).messages.map(({ content }) => textOf(content)).join("");
    assert.ok(seen.length < 8000, `${seen.length} characters`);
  });
}

test("our tools are among those that the model is given", async (t) => {
  const place = places(t);
  const middleware = closing(t, await offloadLargeResults(place.options));
  let bound = [];
  const model = new FakeToolCallingModel({ toolCalls: [[]] });
  const bindTools = model.bindTools.bind(model);
  model.bindTools = (tools, options) => ((bound = tools), bindTools(tools, options));
  await createAgent({ model, tools: toolsOf(place), middleware: [middleware] }).invoke({ messages: [new HumanMessage("?")] });
  const ours = bound.find(({ name }) => name === "lro_extract");
  assert.ok((ours.schema ?? ours.inputSchema).properties.query, JSON.stringify(ours));
});

test("errors and small results pass, as the same message", async (t) => {
  const place = places(t);
  const middleware = closing(t, await offloadLargeResults(place.options));
  const tools = [
    ...toolsOf(place).filter(({ name }) => name !== "fails"),
    tool(async (_, { toolCall }) => new ToolMessage({ content: "x".repeat(40_000), tool_call_id: toolCall.id, status: "error" }), { name: "fails", description: "fails", schema }),
  ];
  const { messages } = await ran({ middleware }, tools, calls(["small"], ["fails"], ["lro_extract", { file_path: "none", query: "." }]), done);
  assert.match(messages[0].content, /^{"size":\d+}$/);
  assert.deepEqual([messages[1].content.length, messages[1].status], [40_000, "error"]);
  assert.equal(messages[2].status, "error");
  const small = new ToolMessage({ content: "small", tool_call_id: "1" });
  const request = { toolCall: { name: "small", args: {}, id: "1" }, state: { messages: [] }, runtime: {} };
  assert.equal(await middleware.wrapToolCall(request, () => small), small);
  assert.deepEqual(filesOf(place.outputDir), []);
  await assert.rejects(ran({ middleware }, toolsOf(place), calls(["fails"]), done), /the tracker is down/);
});

test("parallel calls have a file each, also streamed", async (t) => {
  const place = places(t);
  const middleware = closing(t, await offloadLargeResults(place.options));
  const model = fakeModel().respondWithTools(calls(...Array(6).fill(["issues"])).map((call, i) => ({ ...call, id: `${i}` }))).respond(done);
  const agent = createAgent({ model, tools: toolsOf(place), middleware: [middleware] });
  const contents = [];
  for await (const update of await agent.stream({ messages: [new HumanMessage("?")] }, { streamMode: "updates" })) {
    contents.push(...(update.tools?.messages ?? []).map(({ content }) => content));
  }
  assert.equal(new Set(contents.map(pathIn)).size, 6);
  assert.equal(filesOf(place.outputDir).length, 6);
});

test("messages in a command of a tool are replaced, and its other changes stay", async (t) => {
  const place = places(t);
  const middleware = closing(t, await offloadLargeResults(place.options));
  const large = functions(place).text();
  const commands = tool(
    async (_, { toolCall }) => new Command({ update: { messages: [new ToolMessage({ content: large, tool_call_id: toolCall.id })] } }),
    { name: "commands", description: "commands", schema },
  );
  const { messages } = await ran({ middleware }, [commands], calls(["commands"]), extraction, done);
  assert.equal(JSON.parse(messages[0].content).offloaded, true);
  assert.deepEqual(resultsIn(messages[1].content), FOUND);
});

test("tools of an MCP server; images stay beside what is replaced", async (t) => {
  const place = places(t);
  const client = new MultiServerMCPClient({ files: { transport: "stdio", ...filesystem(place.data), stderr: "ignore" } });
  t.after(() => client.close());
  const middleware = closing(t, await offloadLargeResults(place.options));
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const mixed = tool(async () => [[{ type: "text", text: functions(place).text() }, image], undefined], {
    name: "mixed", description: "mixed", schema, responseFormat: "content_and_artifact",
  });
  const tools = [...(await client.getTools()), mixed];
  const { messages } = await ran({ middleware }, tools, calls(["read_text_file", { path: place.file }], ["mixed"]), extraction, done);
  assert.match(JSON.stringify(messages[0].artifact), /Issue 4999/, "what is for programs stays");
  assert.match(textOf(messages[0].content), /offloaded\W+true/);
  assert.deepEqual(messages[1].content[1], image);
  assert.equal(JSON.parse(messages[1].content[0].text).offloaded, true);
  assert.deepEqual(resultsIn(messages[2].content), FOUND);
});

test("a session for each agent, or for each thread", async (t) => {
  const place = places(t);
  const own = await Promise.all([0, 1].map(() => offloadLargeResults(place.options)));
  const [one] = await Promise.all(own.map((middleware) => ran({ middleware }, toolsOf(place), calls(["issues"]), done)));
  assert.equal(new Set(filesOf(place.outputDir).map((name) => name.split("/")[0])).size, 2);
  const ask = calls(["lro_extract", { file_path: pathIn(one.messages[0].content), query: "." }]);
  const foreign = await ran({ middleware: own[1] }, toolsOf(place), ask, done);
  assert.equal(foreign.messages[0].status, "error");
  await Promise.all(own.map((middleware) => middleware[Symbol.asyncDispose]()));
  assert.deepEqual(filesOf(place.outputDir), []);

  const middleware = closing(t, await offloadLargeResults({ ...place.options, session: ({ configurable }) => configurable?.thread_id }));
  for (const thread_id of ["ann", "bob"]) {
    const { messages } = await ran({ middleware, config: { configurable: { thread_id } } }, toolsOf(place), calls(["issues"]), extraction, done);
    assert.deepEqual(resultsIn(messages[1].content), FOUND);
  }
  assert.deepEqual(filesOf(place.outputDir).map((name) => name.split("/")[0]).sort(), ["ann", "bob"]);
});

/** What a tool returns of 60 KB, in a conversation whose model tells its window and what it has read. */
async function inWindow(t, { maxInputTokens, read, contextTokens = "model" }) {
  const place = places(t);
  const middleware = closing(t, await offloadLargeResults({ ...place.options, contextTokens }));
  const rows = tool(async () => ISSUES.slice(0, 600), { name: "rows", description: "rows", schema });
  const usage_metadata = { input_tokens: read, output_tokens: 0, total_tokens: read };
  const model = fakeModel().respond(new AIMessage({ content: "", tool_calls: calls(["rows"]), usage_metadata })).respond(done);
  Object.defineProperty(model, "profile", { value: { maxInputTokens } });
  const { messages } = await createAgent({ model, tools: [rows], middleware: [middleware] }).invoke({ messages: [new HumanMessage("?")] });
  const { content } = messages.find((message) => ToolMessage.isInstance(message));
  return JSON.parse(content).offloaded === true;
}

test("the window that the model tells goes to the gates, and the tokens that it has read", async (t) => {
  assert.equal(await inWindow(t, { maxInputTokens: 200_000, read: 1000 }), false);
  assert.equal(await inWindow(t, { maxInputTokens: 200_000, read: 139_000 }), true, "no room is left");
  assert.equal(await inWindow(t, { maxInputTokens: 8000, read: 1000 }), true, "a small window");
  assert.equal(await inWindow(t, { maxInputTokens: undefined, read: 1000 }), true, "the threshold decides");
  assert.equal(await inWindow(t, { maxInputTokens: 8000, read: 1000, contextTokens: 200_000 }), false, "what is given counts");
});

test("deepagents: before its own eviction of large results", async (t) => {
  const place = places(t);
  const middleware = closing(t, await offloadLargeResults(place.options));
  const model = fakeModel().respondWithTools(calls(["issues"])).respond(extraction).respond(done);
  const agent = createDeepAgent({ model, tools: toolsOf(place), middleware: [middleware] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("?")] });
  const [response, extracted] = messages.filter((message) => ToolMessage.isInstance(message));
  assert.equal(JSON.parse(response.content).offloaded, true);
  assert.deepEqual(resultsIn(extracted.content), FOUND);
});
