// Places of values in a JSON text in UTF-8, which is not parsed: what is not looked at keeps its bytes, and a result of 60 MB
// is not made into objects to find its id.

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Why a text cannot be read further. */
const ENDS = -1;

/** A value: `[start, end]`. */
export function textAt(bytes, [start, end]) {
  return bytes.toString("utf8", start, end);
}

/**
 * The members of an object by their names, each with the place of its value; of several with one name, the last. Undefined
 * for anything that is not an object. Values inside of values are not checked.
 */
export function members(bytes, [from, to] = [0, bytes.length]) {
  const found = new Map();
  const isWhole = walk(bytes, from, to, OPEN_OBJECT, CLOSE_OBJECT, (start) => {
    const nameEnd = bytes[start] === QUOTE ? stringEnd(bytes, start, to) : ENDS;
    if (nameEnd === ENDS) return ENDS;
    const colon = skipSpace(bytes, nameEnd, to);
    if (bytes[colon] !== COLON) return ENDS;
    const value = skipSpace(bytes, colon + 1, to);
    const end = valueEnd(bytes, value, to);
    if (end !== ENDS) found.set(parsed(textAt(bytes, [start, nameEnd])), [value, end]);
    return end;
  });
  return isWhole ? found : undefined;
}

/** The places of the elements of a list; undefined for anything that is not one. */
export function elements(bytes, [from, to]) {
  const found = [];
  const isWhole = walk(bytes, from, to, OPEN_LIST, CLOSE_LIST, (start) => {
    const end = valueEnd(bytes, start, to);
    if (end !== ENDS) found.push([start, end]);
    return end;
  });
  return isWhole ? found : undefined;
}

/** The value of a JSON text, or nothing. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The bytes with another text at a place. */
export function replaced(bytes, [start, end], text) {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
}

/** Calls `take` with the start of each item between two brackets; it returns the item's end. True if all of it is well formed. */
function walk(bytes, from, to, open, close, take) {
  let place = skipSpace(bytes, from, to);
  if (bytes[place] !== open) return false;
  place = skipSpace(bytes, place + 1, to);
  if (bytes[place] === close) return skipSpace(bytes, place + 1, to) === to;
  while (place < to) {
    const end = take(place);
    if (end === ENDS) return false;
    place = skipSpace(bytes, end, to);
    if (bytes[place] === close) return skipSpace(bytes, place + 1, to) === to;
    if (bytes[place] !== COMMA) return false;
    place = skipSpace(bytes, place + 1, to);
  }
  return false;
}

function skipSpace(bytes, place, to) {
  while (place < to && isSpace(bytes[place])) place++;
  return place;
}

function isSpace(byte) {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function valueEnd(bytes, place, to) {
  const first = bytes[place];
  if (first === QUOTE) return stringEnd(bytes, place, to);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return bracketEnd(bytes, place, to);
  let end = place;
  while (end < to && !isSpace(bytes[end]) && bytes[end] !== COMMA && bytes[end] !== CLOSE_OBJECT && bytes[end] !== CLOSE_LIST) end++;
  return end > place ? end : ENDS;
}

function bracketEnd(bytes, place, to) {
  let depth = 0;
  while (place < to) {
    const byte = bytes[place];
    if (byte === QUOTE) {
      place = stringEnd(bytes, place, to);
      if (place === ENDS) return ENDS;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return place + 1;
    place++;
  }
  return ENDS;
}

function stringEnd(bytes, place, to) {
  for (let at = place + 1; at < to; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return ENDS;
}
