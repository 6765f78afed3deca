// What a caller passes, as text for the component. Mistakes that the component cannot see are reported here, by the names of our
// options.

import { LroError } from "./error.js";
import { toContract } from "./names.js";

/** Options as an object; without any, an empty one. */
export function options(given, what) {
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalid(`${what} are an object, not ${kind(given)}`);
  return given;
}

/** Checks of options that the component does not see. Missing ones are fine. */
export function check({ timeoutMs, offloadTimeoutMs, settingsText, environment, outputDir }) {
  for (const [name, value] of Object.entries({ timeoutMs, offloadTimeoutMs })) {
    const isTime = typeof value === "number" && value > 0 && value <= MOST_MS;
    if (value !== undefined && !isTime) throw invalid(`${name} is a number of milliseconds from 1 to ${MOST_MS}, not ${kind(value)}`);
  }
  for (const [name, value] of Object.entries({ settingsText, outputDir })) {
    if (value !== undefined && typeof value !== "string") throw invalid(`${name} is text, not ${kind(value)}`);
  }
  options(environment, "the variables in environment");
}

/** The file of another component. */
export function checkComponent(component) {
  const isFile = component === undefined || (typeof component === "string" && component !== "");
  if (!isFile) throw invalid(`component is the path of a file, not ${kind(component)}`);
}

/** The longest time of node's timers; a longer one would end at once. */
const MOST_MS = 2 ** 31 - 1;

/** The result itself, as it was given. */
export function result({ payload, value, records }) {
  return value === undefined ? (payload ?? records) : value;
}

/** A result is given as its text, as a value, or as records; beside the first two, `records` says where in it they are. */
export function payloadAndRequest({ payload, value, ...request }) {
  if (value !== undefined) {
    if (payload !== undefined) throw invalid("both payload and value are given: pass the result as one of them");
    const written = typeof value === "string" ? value : text(value, "the value");
    if (written === undefined) throw invalid(`the value has no JSON form: it is ${kind(value)}`);
    return [wellFormed(written), json(request)];
  }
  if (payload !== undefined) {
    if (typeof payload !== "string") throw invalid(`payload is the result's text, not ${kind(payload)}: pass values as records`);
    return [wellFormed(payload), json(request)];
  }
  const { records, ...others } = request;
  if (!Array.isArray(records)) throw invalid("no result was given: pass its text as payload, or an array as records");
  return [text(records, "the records"), json(others)];
}

/** What to read: exactly one of a file and a text. */
export function source({ filePath, content }, present) {
  if ((filePath === undefined) === (content === undefined)) {
    throw invalid("exactly one of filePath and content says what to look at");
  }
  for (const [name, value] of Object.entries({ filePath, content })) {
    if (value !== undefined && typeof value !== "string") throw invalid(`${name} is text, not ${kind(value)}`);
  }
  return content === undefined ? { tag: "file", val: present(filePath) } : { tag: "content", val: content };
}

/** The request of an extraction. One criterion, or one field, needs no list around it. */
export function extraction(request) {
  const alone = ["where", "select", "aggregate"].filter((key) => typeof request[key] === "string");
  const lists = Object.fromEntries(alone.map((key) => [key, [request[key]]]));
  return json({ ...request, ...lists });
}

export function json(request) {
  return text(toContract(request), "the request");
}

export function text(value, what) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw invalid(`cannot write ${what} as JSON: ${error.message}`);
  }
}

/** The text of an MCP object. Text is passed on unchanged: numbers and keys keep their spelling. */
export function message(value, what) {
  const written = typeof value === "string" ? value : text(value, what);
  if (written === undefined) throw invalid(`${what} is missing: pass an object, or its text`);
  return wellFormed(written);
}

/**
 * The text with each half of a surrogate pair that stands alone as its escape: such a half has no UTF-8. In a JSON text it
 * is the same string.
 */
function wellFormed(given) {
  if (given.isWellFormed?.() ?? false) return given;
  return given.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

function kind(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "number" ? String(value) : typeof value;
}

export function invalid(message) {
  return new LroError({ case: "invalid-argument", message });
}
