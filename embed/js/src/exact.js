// Answers of MCP as objects: JavaScript's numbers have no room for each number of JSON.

/** Numbers of so many digits, or with such an exponent, may lose some. Most texts have none. */
const SUSPECT = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/**
 * A CallToolResult from its text. Its structured content is left out where numbers in it would be other numbers: the texts of
 * its content have all digits.
 */
export function resultOf(text) {
  const result = JSON.parse(text);
  if (result.structuredContent === undefined || isExact(text)) return result;
  const { structuredContent, ...others } = result;
  return others.content?.length > 0 ? others : result;
}

/** True if each number of a JSON text is the same number in JavaScript. */
export function isExact(text) {
  if (!SUSPECT.test(text)) return true;
  for (const number of numbersOf(text)) {
    if (SUSPECT.test(number) && decimal(number) !== decimal(String(Number(number)))) return false;
  }
  return true;
}

/** The numbers of a JSON text. One expression for its strings, too, would overflow the stack at millions of escapes. */
function* numbersOf(text) {
  const next = /"|-?\d[\d.eE+-]*/g;
  for (let found = next.exec(text); found; found = next.exec(text)) {
    if (found[0] === '"') next.lastIndex = endOfString(text, next.lastIndex);
    else yield found[0];
  }
}

/** Where the string ends whose first character is at a place: behind a quote with an even number of backslashes before it. */
function endOfString(text, start) {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** A number in one way of writing: its digits without zeros around them, and the power of ten of the last one. */
function decimal(token) {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+|Infinity)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  const digits = (whole + fraction).replace(/^0+/, "");
  const ended = digits.replace(/0+$/, "");
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - ended.length);
  return ended === "" ? "0" : `${sign}${ended}e${power}`;
}
