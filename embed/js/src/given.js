// What a caller passes, as text for the component. Mistakes that the component cannot see are reported here, by the names of our
// options.

import { LroError } from "./error.js";
import { formOf, jsonText, kindOf as kind } from "./json-form.js";
import { MOST_MS } from "./limits.js";
import { toContract } from "./names.js";

/** A result that has no JSON form: nothing can be offloaded, and it stays. */
export class WithoutForm extends LroError {}

/** Options as an object; without any, an empty one. */
export function options(given = {}, what) {
  checkOptions(given, what);
  return given;
}

export function checkOptions(given, what) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalid(`${what} are an object, not ${kind(given)}`);
}

/** What a call asks for. */
export function request(given, call) {
  const asked = options(given, `the options of ${call}`);
  check({ timeoutMs: asked.timeoutMs });
  return asked;
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

/** The result itself, as it was given. */
export function result({ payload, value, records }) {
  return value === undefined ? (payload ?? records) : value;
}

/** A result is given as its text, as a value, or as records; beside the first two, `records` says where in it they are. */
export function payloadAndRequest({ payload, value, ...request }) {
  if (value !== undefined) {
    if (payload !== undefined) throw invalid("both payload and value are given: pass the result as one of them");
    return [wellFormed(typeof value === "string" ? value : form(value, "the value")), json(request)];
  }
  if (payload !== undefined) {
    if (typeof payload !== "string") throw invalid(`payload is the result's text, not ${kind(payload)}: pass values as records`);
    return [wellFormed(payload), json(request)];
  }
  const { records, ...others } = request;
  if (!Array.isArray(records)) throw invalid("no result was given: pass its text as payload, or an array as records");
  return [form(records, "the records"), json(others)];
}

/** The JSON text of a result. */
function form(value, what) {
  const written = attempted(() => formOf(value), what, (message) => new WithoutForm({ case: "invalid-argument", message }));
  if (written !== undefined) return written;
  throw new WithoutForm({ case: "invalid-argument", message: `${what} has no JSON form: it is ${kind(value)}` });
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
  return attempted(() => JSON.stringify(value), what, invalid);
}

/** Returns what `write` returns. `failed` makes the error for what cannot be written; a text that is too long meets a limit. */
function attempted(write, what, failed) {
  try {
    return write();
  } catch (error) {
    const message = `cannot write ${what} as JSON: ${error.message}`;
    throw error instanceof RangeError ? new LroError({ case: "limit-reached", message, hint: "pass less at once" }) : failed(message);
  }
}

/** The text of an MCP object. Text is passed on unchanged: numbers and keys keep their spelling. */
export function message(value, what) {
  return passedOn(typeof value === "string" ? value : text(value, what), what);
}

/** The same for the result of a tool, which may have a BigInt. */
export function toolResult(value) {
  const what = "the result";
  return passedOn(typeof value === "string" ? value : attempted(() => jsonText(value), what, invalid), what);
}

function passedOn(written, what) {
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

export function invalid(message) {
  return new LroError({ case: "invalid-argument", message });
}
