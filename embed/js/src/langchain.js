// Offloading for agents of LangChain, also those of deepagents: one middleware.

import { ToolMessage, createMiddleware, tool } from "langchain";

import { closedBy, copyWith } from "./copies.js";
import { textOf } from "./result-forms.js";
import { ToolResults } from "./tool-results.js";

/** The middleware: `createAgent({ model, tools, middleware: [await offloadLargeResults()] })`. */
export async function offloadLargeResults(options) {
  const results = options instanceof ToolResults ? options : await ToolResults.open(options);
  const tools = results.tools.map(({ name, description, inputSchema }) =>
    tool((input, config) => answered(results, name, input, config), { name, description, schema: inputSchema }),
  );
  let contextTokens;
  const middleware = createMiddleware({
    name: "LargeToolResults",
    tools,
    wrapToolCall: async (request, handler) => replaced(results, request, await handler(request), contextTokens),
    // The model tells its window to those who ask, and only here.
    ...(results.takesWindow && {
      wrapModelCall: (request, handler) => {
        contextTokens = request.model?.profile?.maxInputTokens;
        return handler(request);
      },
    }),
  });
  return closedBy(Object.assign(middleware, { results }), () => results.close());
}

async function answered(results, name, input, config) {
  const result = await results.call(name, input, { context: config });
  if (!result.isError) return textOf(result);
  return new ToolMessage({ content: textOf(result), name, tool_call_id: config?.toolCall?.id ?? config?.toolCallId, status: "error" });
}

/** A message with the result, or a command of a tool that has such messages among what it changes. */
async function replaced(results, { toolCall, state, runtime }, answer, contextTokens) {
  const about = { context: runtime, inputTokens: tokensRead(state?.messages), contextTokens };
  const offload = async (message) => {
    if (!ToolMessage.isInstance(message) || message.status === "error" || message.tool_call_id !== toolCall.id) return message;
    const content = await results.offloadResult(toolCall.name, toolCall.args, message.content, about);
    if (content === message.content) return message;
    // A message has text or parts: what replaces other content is an object.
    const shown = typeof content === "string" || Array.isArray(content) ? content : JSON.stringify(content);
    const { id, name, status, artifact } = message;
    return new ToolMessage({ ...message.lc_kwargs, id, name, status, artifact, content: shown });
  };
  const messages = answer?.update?.messages;
  if (!Array.isArray(messages)) return offload(answer);
  return copyWith(answer, { update: { ...answer.update, messages: await Promise.all(messages.map(offload)) } });
}

/** What the last request to the model had, and its answer, which is part of the next one. */
function tokensRead(messages = []) {
  const usage = messages.findLast(({ usage_metadata }) => usage_metadata)?.usage_metadata;
  return usage && usage.input_tokens + usage.output_tokens;
}
