// The contract's answers as JavaScript has them: one object with a `kind`, events with their facts, no variants.

/** What became of a tool's result. */
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

/** A tool's result that stands as it is because offloading it failed: the operation does not (LRO-42). */
export function unchanged(payload, error) {
  return { kind: "unchanged", text: payload, estimatedTokens: 0, events: [failure(error)] };
}

export function event({ name, message, fields }) {
  return { name, message, fields: JSON.parse(fields) };
}

/** Tells that a result is passed on because offloading it failed. */
export function failure({ code, message, hint }) {
  const text = `the result is returned unchanged, because offloading it failed: ${message}`;
  return { name: "OffloadFailed", message: text, fields: { error: code, message, hint } };
}

/** A page of results, with the values that its lines hold, or the lines where they were asked for raw. */
export function extraction({ results: text, ...page }, raw) {
  const lines = text.split("\n").slice(0, -1);
  return { results: raw === false ? lines.map((line) => JSON.parse(line)) : lines, text, ...page };
}

/** The text of a message to send instead, or undefined where it stands as it is. */
export function rewriting({ tag, val }) {
  return tag === "replaced" ? val : undefined;
}
