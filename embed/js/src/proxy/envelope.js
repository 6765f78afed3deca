// The parts of a JSON-RPC message that a proxy reads: its id, its method, and the places of its parameters and its result.

import { isUtf8 } from "node:buffer";

import { members, parsed, replaced, textAt } from "./json-text.js";

/** Where the stateless protocol says who the client is, in every request. */
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

const OPEN_OBJECT = 0x7b;

/** The parts of a line; undefined for anything that is not a message: garbage, batches, empty lines. */
export function envelope(line) {
  // Most other lines show it at once.
  if (line.length === 0 || (line[0] !== OPEN_OBJECT && line[0] > 0x20) || !isUtf8(line)) return undefined;
  const places = members(line);
  if (!places) return undefined;
  const text = (name) => places.has(name) ? textAt(line, places.get(name)) : undefined;
  const method = places.has("method") ? parsed(text("method")) : undefined;
  // A message whose method is not a text is none.
  if (places.has("method") && typeof method !== "string") return undefined;
  const id = text("id");
  return { method, idText: id === "null" ? undefined : id, id: id === undefined ? undefined : key(id), params: places.get("params"), result: places.get("result") };
}

/**
 * The key of an id. Numbers that are equal have the same key, because servers in JavaScript answer `1e2` with `100`. A whole
 * number that is not exact here keeps its text: rounded, it would equal others.
 */
export function key(text) {
  const id = parsed(text);
  if (id === null) return undefined;
  if (typeof id === "number") return Number.isSafeInteger(id) || /[.eE]/.test(text) ? String(id + 0) : text;
  return id === undefined ? text : JSON.stringify(id);
}

/** The parameters of a request that are read: arguments stay text. */
export function parameters(line, place) {
  const places = place && members(line, place);
  if (!places) return {};
  const value = (name) => places.has(name) ? parsed(textAt(line, places.get(name))) : undefined;
  const named = ["name", "_meta", "taskId", "clientInfo", "capabilities", "requestId"].map((name) => [name, value(name)]);
  const read = Object.fromEntries(named.filter(([, value]) => value !== undefined));
  // Whatever is not an object has no members to look for.
  for (const name of ["_meta", "clientInfo", "capabilities"]) if (typeof read[name] !== "object" || read[name] === null) delete read[name];
  return { ...read, arguments: places.has("arguments") ? textAt(line, places.get("arguments")) : undefined, places };
}

/** The line of a call with other arguments. */
export function withArguments(line, text) {
  const { params } = envelope(line);
  return replaced(line, members(line, params).get("arguments"), text);
}

export function response(id, result) {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
}

export function failed(id, code, message) {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}\n`);
}

/** The text of a CallToolResult that says what went wrong, in place of `result`, whose era of the protocol it keeps. */
export function failedResult({ resultType } = {}, message) {
  return JSON.stringify({ ...(resultType === undefined ? {} : { resultType }), content: [{ type: "text", text: message }], isError: true });
}

/** The line with `proxy: true` in what the client says of itself (PROXY-03), or nothing if it says nothing. */
export function announced(line, { method, params }) {
  const places = params && members(line, params);
  const meta = places?.get("_meta");
  const info = method === "initialize" ? places?.get("clientInfo") : meta && members(line, meta)?.get(CLIENT_INFO);
  const said = info && members(line, info);
  if (!said) return undefined;
  if (said.has("proxy")) return replaced(line, said.get("proxy"), "true");
  const end = info[1] - 1;
  return replaced(line, [end, end], `${said.size > 0 ? "," : ""}"proxy":true`);
}
