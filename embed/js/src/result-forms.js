// What tools of agents' frameworks return, as MCP results, and MCP results in the form that a tool had.

// Parts that frameworks have in results. An array of others is data: its records may well have a `type`.
const PARTS = /^(text|image|audio|video|media|file|resource|custom)([-_](url|data|id|link|file-id|reference))?$/;

/**
 * A result as one of MCP, with `back`, which gives what replaces it the same form: text, parts, a value, or a result of MCP.
 * Nothing for what has no JSON form.
 */
export function inMcp(value) {
  if (typeof value === "string") return { result: partWritten(value) ?? texts(value), back: textOf };
  if (isMcpResult(value)) return { result: value, back: (replaced) => replaced };
  if (isParts(value)) return ofParts(value);
  if (isParts([value])) return { result: texts(value.text), back: (replaced) => texts(textOf(replaced)).content[0] };
  const json = jsonOf(value);
  return json && { result: texts(json), back: (replaced) => replaced.structuredContent ?? textOf(replaced) };
}

export function isMcpResult(value) {
  return Array.isArray(value?.content) && value.content.every((block) => typeof block?.type === "string");
}

/** The texts of an MCP result, as a model reads them. */
export function textOf({ content }) {
  return content.flatMap(({ text, resource }) => text ?? resource?.text ?? []).join("\n");
}

function texts(...all) {
  return { content: all.map((text) => ({ type: "text", text })) };
}

function isParts(value) {
  const isPart = (part) => PARTS.test(part?.type) && (part.type !== "text" || typeof part.text === "string");
  return Array.isArray(value) && value.every(isPart) && value.some(({ type }) => type === "text");
}

/** The text part that an adapter has written as JSON, with the structured result beside the text: the model reads both. */
function partWritten(text) {
  if (!text.startsWith('{"type":"text"')) return undefined;
  const { text: inner, structuredContent } = parsed(text) ?? {};
  if (typeof inner !== "string") return undefined;
  return structuredContent && typeof structuredContent === "object" ? { ...texts(inner), structuredContent } : texts(inner);
}

/** What is not text stays, behind what replaces the texts. */
function ofParts(parts) {
  const isText = ({ type }) => type === "text";
  const others = parts.filter((part) => !isText(part));
  return {
    result: texts(...parts.filter(isText).map(({ text }) => text)),
    back: (replaced) => [...texts(textOf(replaced)).content, ...others],
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function jsonOf(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
