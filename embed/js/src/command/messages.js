// A line of a client as a JSON-RPC message, or why it is none.

import { isUtf8 } from "node:buffer";

import { Outline } from "../proxy/outline.js";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

const MOST_LEVELS = 128;

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** `message`, or `problem` with an `outline` that says under which id it is told; neither for an empty line. */
export function read(given) {
  const line = given.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? given.subarray(BYTE_ORDER_MARK.length) : given;
  const outline = new Outline();
  outline.add(line);
  const invalid = (message, code = INVALID_REQUEST) => ({ problem: { code, message }, outline });
  if (!isUtf8(line)) return invalid("the line is not UTF-8", PARSE_ERROR);
  const text = line.toString().trim();
  if (text === "") return {};
  if (text.startsWith("[")) return invalid("batches are not supported: send each request by itself");
  if (outline.id !== undefined && wouldBeRewritten(outline.id)) return invalid("the request has an id that is not supported: use a string or an integer of 53 bits");
  const message = parsed(text);
  if (message instanceof Error) return invalid(`the line is not JSON: ${message.message}`, PARSE_ERROR);
  if (levels(text) > MOST_LEVELS) return invalid(`the request nests too deep: ${MOST_LEVELS} levels are allowed`);
  if (message?.params !== undefined && (typeof message.params !== "object" || Array.isArray(message.params))) {
    return invalid("the request is not valid: its `params` must be an object", message.method === undefined ? INVALID_REQUEST : INVALID_PARAMS);
  }
  if (outline.hasId && outline.id === undefined) return invalid("the request has an id that is not supported: use a string or an integer of 53 bits");
  const isRequest = typeof message?.method === "string";
  const isAnswer = message?.result !== undefined || message?.error !== undefined;
  if (message?.jsonrpc !== "2.0" || !(isRequest || isAnswer)) {
    return invalid("the request is not one of JSON-RPC 2.0: it needs `jsonrpc`, `id` and `method`");
  }
  return { message: { ...message, params: message.params ?? undefined } };
}

/** True for a number that would be written otherwise in an answer, so that the client would not recognise its id: `1e2`. */
function wouldBeRewritten(id) {
  return !id.startsWith('"') && !(Number.isSafeInteger(Number(id)) && String(Number(id)) === id);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

/** How deep a JSON text nests. */
function levels(text) {
  let [depth, deepest] = [0, 0];
  for (const [match] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (match === "{" || match === "[") deepest = Math.max(deepest, ++depth);
    else if (match === "}" || match === "]") depth--;
  }
  return deepest;
}
