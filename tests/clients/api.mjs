// A scripted model: an HTTP server on loopback that speaks the three dialects which the clients use, answers each
// request with the next step of a script, and keeps every request.

import { createServer } from 'node:http';
import { issues } from './issues.mjs';

/**
 * A dialect by the end of its path: what a model sees of a request, the names of the tools and the results by their
 * calls, and how it answers with calls, or with "done" without any.
 */
const DIALECTS = {
  '/v1/messages': {
    tools: ({ tools = [] }) => tools.map((tool) => tool.name),
    results: ({ messages }) =>
      messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter((block) => block.type === 'tool_result')
        .map((block) => [block.tool_use_id, text(block.content)]),
    answer: messages,
  },
  '/v1/responses': {
    tools: ({ tools = [] }) => tools.flatMap(codexNames),
    results: ({ input }) =>
      input.filter((item) => item.type.endsWith('_call_output')).map((item) => [item.call_id, text(item.output)]),
    answer: responses,
  },
  ':streamGenerateContent': {
    tools: ({ tools = [] }) => tools.flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => tool.name),
    results: ({ contents }) =>
      contents
        .flatMap((content) => content.parts)
        .filter((part) => part.functionResponse)
        .map(({ functionResponse: { id, response } }) => [id, response.output ?? response.error]),
    answer: generateContent,
  },
};

const text = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join('\n');

// Claude Code sends results in the order in which they came.
const inOrderOfCalls = (results) => results.sort(([a], [b]) => numberOf(a) - numberOf(b)).map(([, result]) => result);

const numberOf = (id) => Number(/^call_(\d+)$/.exec(id)[1]);

// Codex lists the tools of an MCP server as a namespace, and a call names both.
const codexNames = (tool) =>
  tool.type === 'namespace' ? tool.tools.map((inner) => `${tool.name}__${inner.name}`) : [tool.name ?? tool.type];

/**
 * Starts a model. `follow(steps)` begins a conversation: each step is a call `{name, arguments}`, several of them, or a
 * function from what the model sees to either, and after the last it says "done". `turns` is what it has seen.
 */
export async function scripted() {
  const model = { turns: [], failures: [], steps: [], calls: 0 };

  // Titles and summaries are asked for with no tools, or with one that returns them: they are not turns.
  const next = (view) => {
    if (view.tools.length < 2) return [];
    const step = model.steps[model.turns.length] ?? [];
    model.turns.push(view);
    const calls = [typeof step === 'function' ? step(view) : step].flat();
    return calls.map((call) => ({ ...call, id: `call_${++model.calls}` }));
  };

  const server = createServer(async (request, response) => {
    const path = request.url.split('?')[0];
    const body = await bodyOf(request);
    const dialect = Object.keys(DIALECTS).find((ending) => path.endsWith(ending));
    if (path === '/issues.json') return response.end(JSON.stringify(issues(1000)));
    if (!dialect) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{}}');
    const { tools, results, answer } = DIALECTS[dialect];
    let calls = [];
    try {
      calls = next({ body, tools: tools(body), results: inOrderOfCalls(results(body)) });
    } catch (error) {
      model.failures.push(error);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answer(calls, model.turns.length)) {
      response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

  return Object.assign(model, {
    url: `http://127.0.0.1:${server.address().port}`,
    follow: (steps) => Object.assign(model, { turns: [], failures: [], steps, calls: 0 }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks));
}

function messages(calls, turn) {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
  const blocks = calls.map((call) => [
    { type: 'tool_use', id: call.id, name: call.name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(call.arguments) },
  ]);
  const done = [{ type: 'text', text: '' }, { type: 'text_delta', text: 'done' }];
  const reason = calls.length ? 'tool_use' : 'end_turn';
  return [
    { type: 'message_start', message },
    ...(calls.length ? blocks : [done]).flatMap(([content_block, delta], index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

function responses(calls, turn) {
  const response = { id: `resp_${turn}` };
  const items = calls.map(({ id, arguments: given, ...call }) => ({
    type: 'function_call',
    call_id: id,
    ...call,
    arguments: JSON.stringify(given),
  }));
  const done = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  return [
    { type: 'response.created', response },
    ...(calls.length ? items : [done]).map((item) => ({ type: 'response.output_item.done', item })),
    { type: 'response.completed', response: { ...response, usage } },
  ];
}

function generateContent(calls) {
  const parts = calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } }));
  const content = { role: 'model', parts: calls.length ? parts : [{ text: 'done' }] };
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
  return [{ candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata }];
}
