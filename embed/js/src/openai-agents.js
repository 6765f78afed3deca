// Offloading for agents of the OpenAI Agents SDK: guardrails on the outputs of their tools and MCP servers, and our tools.

import { ToolGuardrailFunctionOutputFactory as Output, defineToolOutputGuardrail, tool } from "@openai/agents";

import { closedBy, copyWith, seenWith } from "./copies.js";
import { checkOptions } from "./given.js";
import { ToolResults } from "./tool-results.js";

/** An agent, or what it is made of, with offloading: `new Agent(await offloadLargeResults({ name, tools, mcpServers }))`. */
export async function offloadLargeResults(agent, options) {
  checkOptions(agent, "the members of an agent");
  const results = options instanceof ToolResults ? options : await ToolResults.open(options);
  const { tools = [], mcpServers = [] } = agent;
  results.checkNames(tools.map(({ name }) => name));
  const guardrail = defineToolOutputGuardrail({ name: "large results", run: (call) => replaced(results, call) });
  const ours = results.tools.map(({ name, description, inputSchema }) =>
    tool({ name, description, parameters: inputSchema, strict: false, execute: (input, context) => results.callText(name, input, { context }) }),
  );
  const changes = {
    // A tool with a schema of its output has promised it to programs.
    tools: [...tools.map((one) => (one.type === "function" && !one.outputSchema ? guarded(one, "outputGuardrails", guardrail, copyWith) : one)), ...ours],
    mcpServers: mcpServers.map((server) => guarded(server, "toolOutputGuardrails", guardrail, seenWith)),
  };
  return closedBy(typeof agent.clone === "function" ? agent.clone(changes) : { ...agent, ...changes }, () => results.close());
}

/** Behind the guardrails that are there. Other agents share the tool or the server, and have their own files. */
function guarded(one, key, guardrail, changed) {
  return changed(one, { [key]: [...(one[key] ?? []), guardrail] });
}

async function replaced(results, { context, toolCall, output }) {
  const value = await results.offloadResult(toolCall.name, read(toolCall.arguments), output, { context, inputTokens: tokensRead(context) });
  // A guardrail can say text: what has other parts beside it passes.
  if (value === output || (Array.isArray(value) && value.length > 1)) return Output.allow();
  const [part] = Array.isArray(value) ? value : [value];
  return Output.rejectContent(typeof part === "string" ? part : part.type === "text" ? part.text : JSON.stringify(part));
}

/** What the last request to the model had, and its answer. */
function tokensRead({ usage } = {}) {
  const last = usage?.requestUsageEntries?.at(-1);
  return last && last.inputTokens + last.outputTokens;
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
