// Large texts on their way between two threads: as UTF-8 in memory that changes hands. As strings they would be copied twice,
// and measured and encoded once more for the component.

/** Shorter texts are copied in less time than it takes to hand memory over, in characters. */
const LARGE = 16 * 1024;

/** A character of a string has three bytes at most; one of two units has four. */
const MOST_BYTES = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A text as its UTF-8. */
class Utf8 {
  constructor(bytes) {
    this.utf8 = bytes;
  }

  /** A long name of a file is a text, too. */
  toString() {
    return decoder.decode(this.utf8);
  }
}

/** A message with its large texts as UTF-8, and the memory that goes with it. */
export function packed(message) {
  const memory = [];
  const pack = (value) => {
    if (typeof value === "string" && value.length >= LARGE) value = encoded(value);
    if (value instanceof Utf8) memory.push(value.utf8.buffer);
    return value instanceof Utf8 ? { utf8: value.utf8 } : value;
  };
  return [mapped(message, pack), memory];
}

/** A message with all of its texts as strings. */
export function unpacked(message) {
  return mapped(message, (value) => (isUtf8(value) ? decoder.decode(value.utf8) : value));
}

/** What the binding writes into the component's memory: the bytes of a text. */
export function encode(text) {
  if (typeof text !== "string" && !isUtf8(text)) throw new TypeError(`expected a text, not ${typeof text}`);
  return isUtf8(text) ? text.utf8 : encoder.encode(text);
}

/** What the binding makes of a text in the component's memory. */
export function decode(bytes) {
  return bytes.length >= LARGE ? new Utf8(bytes.slice()) : decoder.decode(bytes);
}

function isUtf8(value) {
  return value?.utf8 instanceof Uint8Array;
}

function encoded(text) {
  // Pages of memory that are never written cost nothing, and to measure the text takes as long as to encode it.
  const bytes = new Uint8Array(text.length * MOST_BYTES);
  return new Utf8(bytes.subarray(0, encoder.encodeInto(text, bytes).written));
}

/** The same message with other values in it. What is neither a list nor a plain object is one value. */
function mapped(value, change) {
  const other = change(value);
  if (other !== value || typeof value !== "object" || value === null) return other;
  if (Array.isArray(value)) return value.map((part) => mapped(part, change));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapped(part, change)]));
}
