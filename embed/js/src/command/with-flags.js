// What is said of keys of a request, for a command that has flags.

/** Keys as sentences name them, and the flags for them: those of `cli/src/flags.rs`, and names of the package. */
const ROWS = [
  ["pass ignoreCase: true", "pass --ignore-case"],
  ["pass literal: true", "pass --literal"],
  ["`context`", "--context"],
  ["`next` leads to more", "--next leads to more"],
  ['`on` "document"', "--on document"],
  ['`on` "records"', "--on records"],
  ["a jq filter as `query`", "a jq filter as --query"],
  ["a jq `query` with `slurp`", "a jq filter as --query with --slurp"],
  ["with `slurp`", "with --slurp"],
  ["`limit` 1", "--limit 1"],
  ['{"lines": "1-20"}', "--lines 1-20"],
  ...["offload", "extract", "search", "read"].map((name) => [`see request.schema.json, \`${name}\`, for every key`, `see lro ${name} --help`]),
];

/** `params` and an object of plain values. */
const PARAMS = /`params` (\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})/g;

/** The sentence with flags. */
export function withFlags(text) {
  const named = ROWS.reduce((told, [key, flag]) => told.replaceAll(key, flag), text);
  return named.replace(PARAMS, (whole, json) => paramFlags(json) ?? whole);
}

/** `--param NAME=VALUE` for each member; undefined for what is no JSON. */
function paramFlags(json) {
  try {
    return Object.entries(JSON.parse(json)).map(([name, value]) => `--param ${quoted(name, value)}`).join(" ");
  } catch {
    return undefined;
  }
}

function quoted(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const pair = `${name}=${text}`;
  return /^[\p{L}\p{N}\-_./:…]*$/u.test(text) ? pair : `'${pair.replaceAll("'", String.raw`'\''`)}'`;
}
