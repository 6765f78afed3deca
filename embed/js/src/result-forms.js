// What tools of agents' frameworks return, as MCP results, and MCP results in the form that a tool had.
//
// Records may well have a `type`, and a document a `content`. Only what has nothing beside the members of its form is taken for
// a part or a result of MCP: all else is data, which is offloaded whole.

import { formOf } from "./json-form.js";

/** Members that any part may have, by MCP and by the AI SDK. */
const BESIDE = ["type", "annotations", "_meta", "providerOptions", "providerMetadata"];

/** Members of what MCP's annotations are: a corpus of texts has annotations of its own. */
const OF_ANNOTATIONS = ["audience", "priority", "lastModified"];

/** The members of a part by its type: one of `needs` at least, and no others than these, `may` and those that any part may have. */
const PARTS = [
  { type: /^text$/, needs: ["text"], may: ["cache_control", "citations", "index"] },
  { type: /^resource$/, needs: ["resource"], may: [] },
  { type: /^resource_link$/, needs: ["uri"], may: ["name", "title", "description", "mimeType", "size", "icons"] },
  { type: /^custom$/, needs: ["providerOptions"], may: [] },
  {
    // Of MCP, the AI SDK, LangChain, OpenAI's agents and Anthropic.
    type: /^(image|audio|video|media|file)([-_](url|data|file-id|id|file-reference|reference))?$/,
    needs: ["data", "url", "image", "image_url", "file", "source", "source_type", "fileId", "file_id", "providerReference"],
    may: ["mimeType", "mime_type", "mediaType", "filename", "detail", "id", "index", "metadata", "extras", "cache_control"],
  },
];

/** What MCP says of a result; `resultType` is of its stateless protocol. */
const OF_RESULTS = ["content", "structuredContent", "isError", "_meta", "resultType"];

/** The parts that MCP knows. */
const OF_MCP = ["text", "image", "audio", "resource", "resource_link"];

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
  return Array.isArray(value?.content) && hasOnly(value, OF_RESULTS) && value.content.every((part) => OF_MCP.includes(part?.type) && isPart(part));
}

/** The texts of an MCP result, as a model reads them. */
export function textOf({ content }) {
  return content.flatMap((part) => textIn(part) ?? []).join("\n");
}

function texts(...all) {
  return { content: all.map((text) => ({ type: "text", text })) };
}

function isParts(value) {
  return Array.isArray(value) && value.every(isPart) && value.some(({ type }) => type === "text");
}

function isPart(part) {
  const form = PARTS.find(({ type }) => type.test(part?.type));
  if (!form || !hasOnly(part, [...BESIDE, ...form.needs, ...form.may])) return false;
  if (part.type === "text" && typeof part.text !== "string") return false;
  return form.needs.some((key) => part[key] !== undefined) && isAnnotated(part.annotations) && (part.citations == null || Array.isArray(part.citations));
}

/** True for what MCP's annotations are, and for the citations that LangChain calls so. */
function isAnnotated(annotations) {
  if (Array.isArray(annotations)) return annotations.every((annotation) => typeof annotation?.type === "string");
  return annotations == null || hasOnly(annotations, OF_ANNOTATIONS);
}

/** True for an object without other members. */
function hasOnly(value, keys) {
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value).every((key) => keys.includes(key));
}

/** The text part that an adapter has written as JSON, with the structured result beside the text: the model reads both. */
function partWritten(text) {
  if (!text.startsWith('{"type":"text"')) return undefined;
  const { structuredContent, ...part } = parsed(text) ?? {};
  if (!isPart(part)) return undefined;
  return structuredContent && typeof structuredContent === "object" ? { ...texts(part.text), structuredContent } : texts(part.text);
}

/** What has no text stays, behind what replaces the texts. */
function ofParts(parts) {
  const others = parts.filter((part) => textIn(part) === undefined);
  return {
    result: texts(...parts.flatMap((part) => textIn(part) ?? [])),
    back: (replaced) => [...texts(textOf(replaced)).content, ...others],
  };
}

/** The text of a part, which may be that of an embedded resource. */
function textIn({ text, resource }) {
  return text ?? (typeof resource?.text === "string" ? resource.text : undefined);
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
    return formOf(value);
  } catch {
    return undefined;
  }
}
