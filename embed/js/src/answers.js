// The contract's answers in JavaScript: one object with a `kind`, events with their facts, no variants.

/** What to do about a result that is withheld. */
const LESS = "Ask for less at once.";

/** What `offload` returns. */
export function offloading({ outcome, estimatedTokens, events }, payload) {
  const answer = { estimatedTokens, events: events.map(event) };
  switch (outcome.tag) {
    case "unchanged":
      return { kind: "unchanged", text: payload, ...answer };
    case "offloaded": {
      const { response, fileName, content, sections } = outcome.val;
      const stored = { text: response, response: JSON.parse(response), fileName, content, sections };
      return { kind: "offloaded", ...stored, ...answer };
    }
    default:
      return { kind: outcome.tag, text: outcome.val, ...answer };
  }
}

/** The last resort: an offload that was stopped, and could not be truncated by the component either. */
export function withheld(error) {
  const warning = `Offloading failed (${error.message}), and so did truncating: the result is withheld. ${LESS}`;
  const response = { offloaded: false, warning, results: [], returned: 0, total: 0 };
  return { kind: "truncated", text: JSON.stringify(response), estimatedTokens: 0, events: [failure(error)] };
}

/** The same for the result of a tool. */
export function withheldResult(tool, error) {
  const text = `The result of ${JSON.stringify(tool)} is withheld, because offloading it failed: ${error.message}. ${LESS}`;
  const replaced = JSON.stringify({ content: [{ type: "text", text }], isError: true });
  return { replaced, sectionFileNames: [], events: [failure(error)] };
}

/** Events of the contract, with one that tells why an offload was stopped. */
export function withFailure(events, error) {
  if (events.some(({ name }) => name === "OffloadFailed")) return events;
  const { name, message, fields } = failure(error);
  return [...events, { name, message, fields: JSON.stringify(fields) }];
}

export function event({ name, message, fields }) {
  return { name, message, fields: JSON.parse(fields) };
}

function failure({ code, message, hint }) {
  return { name: "OffloadFailed", message: `offloading failed: ${message}`, fields: { error: code, message, hint } };
}

/** A page of results, with the values that its lines hold, or the lines where they were asked for raw. */
export function extraction({ results: text, ...page }, raw) {
  const lines = text.split("\n").slice(0, -1);
  return { results: raw === false ? lines.map((line) => JSON.parse(line)) : lines, text, ...page };
}

/** The text of a message to send instead, or undefined to send the message unchanged. */
export function rewriting({ tag, val }) {
  return tag === "replaced" ? val : undefined;
}
