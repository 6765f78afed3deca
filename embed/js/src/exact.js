// Answers of MCP as objects: JavaScript's numbers have no room for each number of JSON.

/** Numbers of so many digits, or with such an exponent, may lose some. Most texts have none. */
const SUSPECT = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/** The strings and the numbers of a JSON text. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

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
  for (const [token] of text.matchAll(TOKENS)) {
    if (token[0] !== '"' && SUSPECT.test(token) && decimal(token) !== decimal(String(Number(token)))) return false;
  }
  return true;
}

/** A number in one way of writing: its digits without zeros around them, and the power of ten of the last one. */
function decimal(token) {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\w+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  const digits = (whole + fraction).replace(/^0+/, "");
  const ended = digits.replace(/0+$/, "");
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - ended.length);
  return ended === "" ? "0" : `${sign}${ended}e${power}`;
}
