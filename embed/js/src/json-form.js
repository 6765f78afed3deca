// The JSON text of a value.

import { randomUUID } from "node:crypto";

/** What a value that keeps its contents to itself has: JSON would say `{}` of a Map, a Set, a generator or a promise. */
const HIDING = [Symbol.iterator, Symbol.asyncIterator, "then"];

/** As `JSON.stringify`, which fails on a BigInt: here it is an integer with all of its digits. */
export function jsonText(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return withIntegers(value);
  }
}

/** The JSON text of a result; undefined for what has no JSON form. Fails for a value that holds itself. */
export function formOf(value) {
  const text = jsonText(value);
  const isHidden = text === "{}" && HIDING.some((key) => typeof value[key] === "function");
  return isHidden ? undefined : text;
}

/** The kind of a value, as a message has it. */
export function kindOf(value) {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value === "number" ? String(value) : typeof value;
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name === "Array" ? "an array" : name === "Object" ? "object" : `a ${name}`;
}

function withIntegers(value) {
  // Nobody can have a text like it in a result.
  const mark = `bigint:${randomUUID()}:`;
  const written = JSON.stringify(value, (_, one) => (typeof one === "bigint" ? `${mark}${one}` : one));
  return written.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
