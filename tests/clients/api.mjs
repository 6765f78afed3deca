// A scripted model: an HTTP server on loopback that speaks the three dialects which the clients use, answers each request
// with the next step of a script, and keeps every request.

import { createServer } from 'node:http';
import { issues } from './issues.mjs';

/**
 * A dialect by the end of its path: what a model sees of a request, the names of the tools and the texts of all results,
 * and how it answers with a call, or with "done" without one.
 */
const DIALECTS = {
  '/v1/messages': {
    tools: ({ tools = [] }) => tools.map((tool) => tool.name),
    results: ({ messages }) =>
      messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter((block) => block.type === 'tool_result')
        .map((block) => text(block.content)),
    answer: messages,
  },
  '/v1/responses': {
    tools: ({ tools = [] }) => tools.flatMap(codexNames),
    results: ({ input }) => input.filter((item) => item.type.endsWith('_call_output')).map((item) => text(item.output)),
    answer: responses,
  },
  ':streamGenerateContent': {
    tools: ({ tools = [] }) => tools.flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => tool.name),
    results: ({ contents }) =>
      contents
        .flatMap((content) => content.parts)
        .filter((part) => part.functionResponse)
        .map(({ functionResponse: { response } }) => response.output ?? response.error ?? JSON.stringify(response)),
    answer: generateContent,
  },
};

const text = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join('\n');

// Codex lists the tools of an MCP server as a namespace, and a call names both.
const codexNames = (tool) =>
  tool.type === 'namespace' ? tool.tools.map((inner) => `${tool.name}__${inner.name}`) : [tool.name ?? tool.type];

/**
 * Starts a model. `follow(steps)` begins a conversation: each step is a call `{name, arguments}`, or a function from what
 * the model sees to one, and after the last it says "done". `turns` is what it has seen.
 */
export async function scripted() {
  const model = { turns: [], failures: [], steps: [] };

  // Titles and summaries are asked for with no tools, or with one that returns them: they are not turns.
  const next = (view) => {
    if (view.tools.length < 2) return undefined;
    const step = model.steps[model.turns.length];
    model.turns.push(view);
    return typeof step === 'function' ? step(view) : step;
  };

  const server = createServer(async (request, response) => {
    const path = request.url.split('?')[0];
    const body = await bodyOf(request);
    const dialect = Object.keys(DIALECTS).find((ending) => path.endsWith(ending));
    if (path === '/issues.json') return response.end(JSON.stringify(issues(1000)));
    if (!dialect) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{}}');
    const { tools, results, answer } = DIALECTS[dialect];
    let call;
    try {
      call = next({ body, tools: tools(body), results: results(body) });
    } catch (error) {
      model.failures.push(error);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answer(call, model.turns.length)) {
      response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

  return Object.assign(model, {
    url: `http://127.0.0.1:${server.address().port}`,
    follow: (steps) => Object.assign(model, { turns: [], failures: [], steps }),
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

function messages(call, turn) {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
  const [block, delta, reason] = call
    ? [
        { type: 'tool_use', id: `toolu_${turn}`, name: call.name, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(call.arguments) },
        'tool_use',
      ]
    : [{ type: 'text', text: '' }, { type: 'text_delta', text: 'done' }, 'end_turn'];
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

function responses(call, turn) {
  const id = `resp_${turn}`;
  const item = call
    ? { type: 'function_call', call_id: `call_${turn}`, ...call, arguments: JSON.stringify(call.arguments) }
    : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  return [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { id, usage } },
  ];
}

function generateContent(call) {
  const part = call ? { functionCall: { name: call.name, args: call.arguments } } : { text: 'done' };
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
  return [
    { candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }], usageMetadata },
  ];
}
