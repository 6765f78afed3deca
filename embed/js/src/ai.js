// Offloading for agents of the Vercel AI SDK: one call around the tools.

import { jsonSchema, tool } from "ai";

import { closedBy, copyWith } from "./copies.js";
import { checkOptions } from "./given.js";
import { isMcpResult } from "./result-forms.js";
import { ToolResults } from "./tool-results.js";

// The AI SDK knows the messages of a conversation, not their tokens: four bytes are one, as the gates count.
const BYTES_OF_A_TOKEN = 4;

/** The tools, with large results in files, and ours beside them: `streamText({ tools: await offloadLargeResults(tools) })`. */
export async function offloadLargeResults(tools, options) {
  checkOptions(tools, "the tools");
  const results = options instanceof ToolResults ? options : await ToolResults.open(options);
  results.checkNames(Object.keys(tools));
  const theirs = Object.entries(tools).map(([name, one]) => [name, one.execute ? wrapped(results, name, one) : one]);
  const ours = results.tools.map(({ name, title, description, inputSchema }) => {
    const execute = (input, call) => results.callText(name, input, about(results, call), { fails: true });
    return [name, tool({ title, description, inputSchema: jsonSchema(inputSchema), execute })];
  });
  return closedBy(Object.fromEntries([...theirs, ...ours]), () => results.close());
}

/**
 * A tool that converts its output for the model keeps the output, for a program and its users, and what the model sees is
 * replaced. Results of MCP and all others are replaced themselves; stored messages then have the response, too.
 */
function wrapped(results, name, one) {
  const converts = (output) => one.toModelOutput !== undefined && !isMcpResult(output);
  const settled = async (input, call, output) =>
    converts(output) ? output : results.offloadResult(name, input, output, about(results, call));
  const execute = (input, call) => {
    const output = one.execute(input, call);
    return typeof output?.[Symbol.asyncIterator] === "function" ? last(output, input, call) : Promise.resolve(output).then((value) => settled(input, call, value));
  };
  // All but the last are preliminary: no model sees them.
  async function* last(outputs, input, call) {
    let output;
    for await (output of outputs) yield output;
    const replaced = await settled(input, call, output);
    if (replaced !== output) yield replaced;
  }
  // A response does not hold to the schema of a result.
  const changes = one.toModelOutput ? { execute, toModelOutput: seenOnce(results, name, one, converts) } : { execute };
  return copyWith(one, one.outputSchema ? { ...changes, outputSchema: undefined } : changes);
}

/** The conversion for the model, with its text replaced. A stored output that is converted again gets the same file. */
function seenOnce(results, name, one, converts) {
  const seen = new WeakMap();
  const converted = async (call) => {
    const made = await one.toModelOutput(call);
    if (!converts(call.output) || !["text", "json", "content"].includes(made.type)) return made;
    const value = await results.offloadResult(name, call.input, made.value, { context: call });
    if (value === made.value) return made;
    const type = typeof value === "string" ? "text" : Array.isArray(value) ? made.type : "json";
    return { ...made, type, value };
  };
  return (call) => {
    const isObject = typeof call.output === "object" && call.output !== null;
    if (!isObject) return converted(call);
    if (!seen.has(call.output)) seen.set(call.output, converted(call));
    return seen.get(call.output);
  };
}

/** What the SDK says of a call. Messages are measured only where it counts. */
function about(results, call) {
  const counts = results.lro?.settings.context_tokens != null;
  const bytes = counts && call?.messages ? Buffer.byteLength(JSON.stringify(call.messages)) : 0;
  return { context: call, inputTokens: Math.ceil(bytes / BYTES_OF_A_TOKEN) };
}
