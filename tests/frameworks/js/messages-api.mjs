// A scripted Messages API on loopback: each request is answered with the next step of a script, and its body is kept.

import { createServer } from "node:http";

/**
 * Each step is a list of calls `[name, input]`, or a function of the results so far that returns one; then the model is
 * done. `turns` has what the model was given: the names of its tools, and the contents of all results.
 */
export async function messagesApi(t, ...steps) {
  const turns = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!request.url.startsWith("/v1/messages") || request.url.includes("count_tokens")) return response.writeHead(404).end("{}");
    const { messages, tools = [] } = JSON.parse(Buffer.concat(chunks));
    // Titles are asked for without tools.
    if (tools.length < 2) return answer(response, 0);
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const results = blocks.filter(({ type }) => type === "tool_result").sort((one, other) => number(one) - number(other));
    const seen = results.map(({ content, is_error }) => ({ text: textOf(content), content, isError: is_error === true }));
    const step = steps[turns.length];
    turns.push({ tools: tools.map(({ name }) => name), results: seen });
    try {
      answer(response, turns.length, typeof step === "function" ? step(seen) : step);
    } catch (error) {
      // The test fails with it, and does not wait.
      turns.at(-1).error = error;
      answer(response, turns.length);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, turns };
}

/** Results of calls in one turn arrive in any order. */
function number({ tool_use_id: id }) {
  const [, turn, call] = id.split("_").map(Number);
  return turn * 1000 + call;
}

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n"));

function answer(response, turn, calls = []) {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const blocks = calls.map(([name, input = {}], i) => [
    { type: "tool_use", id: `toolu_${turn}_${i}`, name, input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify(input) },
  ]);
  if (calls.length === 0) blocks.push([{ type: "text", text: "" }, { type: "text_delta", text: "done" }]);
  const events = [
    { type: "message_start", message: { id: `msg_${turn}`, type: "message", role: "assistant", model: "scripted", content: [], usage } },
    ...blocks.flatMap(([content_block, delta], index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: calls.length === 0 ? "end_turn" : "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
