// The contract's answers in JavaScript: one object with an `outcome`, events with their facts, no variants.

import { inCamelCase } from "./names.js";
import { read } from "./summaries.js";

/** What `offload` returns. `result` is what a function should return: `given` itself if nothing was done (SECTION-12). */
export function offloading({ outcome, estimatedTokens, events }, payload, given, told) {
  const answer = { estimatedTokens, events: [...told, ...events.map(event)] };
  switch (outcome.tag) {
    case "unchanged":
      return { outcome: "unchanged", text: payload, result: given, ...answer };
    case "offloaded": {
      const { response, fileName, content, sections } = outcome.val;
      const result = JSON.parse(response);
      return { outcome: "offloaded", text: response, response: result, result, fileName, content, sections, ...answer };
    }
    default:
      return { outcome: outcome.tag, text: outcome.val, result: outcome.tag === "truncated" ? read(outcome.val) : outcome.val, ...answer };
  }
}

/** The text of a CallToolResult that says what went wrong, and what a model can do about it: it sets no limits. */
export function mistake({ message, hint, limit }) {
  const told = limit === "timeout_ms" || limit === "max_memory_mib" ? LESS : hint;
  return JSON.stringify({ resultType: "complete", content: [{ type: "text", text: [message, told].filter(Boolean).join("; ") }], isError: true });
}

const LESS = "look at less at once: some of the lines (`line`, `lines`), or a filter that does less and collects less";

/** The answer to a result that stays although it was not looked at. Without a JSON form it has no text either. */
export function untouched(error, result, text = "") {
  return { outcome: "unchanged", text, result, estimatedTokens: 0, events: [failure(error)] };
}

/** The last resort: an offload that was stopped, and could not be truncated by the component either. */
export function withheld(error) {
  const response = { offloaded: false, warning: because(error), results: [], returned: 0, total: 0 };
  return { outcome: "truncated", text: JSON.stringify(response), result: response, estimatedTokens: 0, events: [failure(error)] };
}

/** The same for the result of a tool. */
export function withheldResult(error) {
  const message = JSON.stringify({ content: [{ type: "text", text: because(error) }], isError: true });
  return { message, sectionFileNames: [], events: [failure(error)] };
}

function because({ message }) {
  return `the result is withheld, because offloading it failed: ${message}; ask for less at once`;
}

/** Events of the contract, with one that tells why an offload was stopped. */
export function withFailure(events, error) {
  if (events.some(({ name }) => name === "OffloadFailed")) return events;
  const { name, message, fields } = failure(error);
  return [...events, { name, message, fields: JSON.stringify(fields) }];
}

/** The answer to an offload that could not be stored, with the reason that this side knows better. */
export function unstored({ events, ...answer }, { message }) {
  const written = events.find(({ name }) => name === "OffloadWriteFailed");
  if (!written) return { ...answer, events };
  // Inside of a JSON text of a JSON text nothing may need an escape.
  const told = message.replace(/[^ !#-[\]-~]/g, "'");
  const reason = event(written).fields.error;
  const mended = ({ tag, val }) => ({ tag, val: typeof val === "string" ? val.replaceAll(reason, () => told) : val });
  const text = answer.outcome ? { outcome: mended(answer.outcome) } : { message: mended(answer.message) };
  return { ...answer, ...text, events: events.map((one) => (one === written ? { ...one, message } : one)) };
}

export function event({ name, message, fields }) {
  return { name, message, fields: JSON.parse(fields) };
}

/** The event of an offload that failed. */
export function failure({ case: name = "other", message, hint = "" }) {
  return { name: "OffloadFailed", message: `offloading the result failed: ${message}`, fields: { case: name, message, hint } };
}

/**
 * A page of results, with the values that its lines hold, or the lines where they were asked for raw. They are made when
 * somebody looks at them: who passes the text on needs none.
 */
export function extraction({ results: text, ...page }, raw) {
  const results = () => {
    const lines = text.split("\n").slice(0, -1);
    return raw === false ? lines.map((line) => JSON.parse(line)) : lines;
  };
  return later({ results: undefined, text, ...page }, "results", results);
}

/** The object with a member that is made when it is first looked at. */
function later(object, name, make) {
  let made;
  const get = () => (made ??= { value: make() }).value;
  return Object.defineProperty(object, name, { get, set: (value) => (made = { value }) });
}

/** A page of `read` or `search`, whose remarks name options as callers write them. */
export function page({ remarks, ...page }) {
  return { ...page, remarks: remarks.map(inCamelCase) };
}

/** The text of a message to send instead, or undefined to send the message unchanged. */
export function rewriting({ tag, val }) {
  return tag === "replaced" ? val : undefined;
}
