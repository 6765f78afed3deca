// `search`: prints the lines of an offloaded file that match, as grep does.

import { continuation } from "./continuation.js";
import { counted, remark, write } from "./output.js";
import { FILE, FOLDER, withSource } from "./source.js";
import { number } from "./values.js";
import { withFlags } from "./with-flags.js";

export const ABOUT = "Print the lines of an offloaded file that match a regular expression";

export const ARGUMENTS = [FILE, { name: "pattern", value: "PATTERN" }];

export const FLAGS = [
  { name: "ignore-case", short: "i", help: "Let small and capital letters match each other" },
  { name: "literal", aliases: ["fixed-strings"], short: "F", help: "Take the pattern for a plain text" },
  { name: "context", short: "C", value: "N", read: number, help: "Print this many lines before and after each hit, at most 20 [default: 2]" },
  { name: "before", short: "B", value: "N", read: number, help: "Print this many lines before each hit" },
  { name: "after", short: "A", value: "N", read: number, help: "Print this many lines after each hit" },
  { name: "limit", value: "N", read: number, help: "Print at most this many hits, 50 at most" },
  { name: "next", value: "TOKEN", help: "Continue where a cut page ended" },
  { name: "header", help: "Count the header as line 1, and search it too" },
  { name: "json", help: "Print each hit as a JSON object" },
  FOLDER,
];

export const NATIVE_FLAGS = ["store"];

export async function run(flags) {
  const { pattern, ignoreCase, literal, context, before, after, limit, next, header } = flags;
  return withSource(flags, async (lro, source) => {
    const request = { pattern, ignoreCase, literal, context, before, after, limit, next, header };
    const findings = await lro.search({ ...source, ...request });
    await write(flags.json ? findings.hits.map((hit) => `${JSON.stringify(hit)}\n`).join("") : grepped(findings.hits));
    findings.remarks.forEach((text) => remark(withFlags(text)));
    if (findings.next === undefined) return;
    const all = findings.total === undefined ? "" : ` of ${findings.total}`;
    remark(`cut after ${counted(findings.hits.length, "hit")}${all}; go on with: ${continuation(findings.next)}`);
  });
}

/** The lines as `grep -n` prints them, each hit with its character. */
function grepped(hits) {
  const lines = [];
  let latest;
  for (const { line, character, text, before, after } of hits) {
    const first = line - before.length;
    if (latest !== undefined && first > latest + 1) lines.push("--");
    before.forEach((other, i) => lines.push(`${first + i}-${other}`));
    lines.push(`${line}:${character}:${text}`);
    after.forEach((other, i) => lines.push(`${line + 1 + i}-${other}`));
    latest = line + after.length;
  }
  return lines.map((line) => `${line}\n`).join("");
}
