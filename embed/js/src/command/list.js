// `list`: prints which offloaded files there are.

import { Failure } from "./failure.js";
import { counted, printable, remark, write } from "./output.js";
import { OUTPUT_DIR, sources } from "./settings.js";
import { there, withLro } from "./source.js";
import { number } from "./values.js";

export const ABOUT = "List the offloaded files: operation, count, bytes, tokens, when they expire, checksum";

export const FLAGS = [
  { ...OUTPUT_DIR, help: "The directory with the files [default: lro-UID in the temporary directory]" },
  { name: "session", value: "NAME", help: "List only this folder of the output directory" },
  { name: "limit", value: "N", read: number, help: "Print at most this many files, the newest" },
  { name: "no-sha256", help: "Leave out the checksums, for which all files have to be read" },
  { name: "json", help: "Print one JSON object for each file" },
];

export const NATIVE_FLAGS = ["store"];

/** A directory is looked through once for each page. */
const PAGE_FILES = 50_000;

/** So much of a checksum tells files apart. */
const SHA256_CHARACTERS = 12;

const HEADER = ["FILE", "OPERATION", "COUNT", "BYTES", "TOKENS", "CREATED", "EXPIRES", "SHA256"];
const NUMBERS = [2, 3, 4];

export async function run(flags) {
  if (flags.limit === 0) throw Failure.usage("`--limit` is 1 at least, not `0`");
  return withLro({ ...sources(flags), outputDir: there(flags.outputDir, "list") }, async (lro) => {
    const { files, next, foreign, unfinished } = await listed(lro, flags);
    if (flags.json) return write(files.map((file) => `${JSON.stringify(file)}\n`).join(""));
    const expired = files.filter(({ expired }) => expired).length;
    const others = [[unfinished, "unfinished"], [foreign, "with such a name but other content"]].filter(([count]) => count > 0);
    const notListed = others.length > 0 ? `; not listed: ${others.map((one) => one.join(" ")).join(", ")}` : "";
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const sum = `${counted(files.length, "file")}, ${bytes} bytes${expired > 0 ? `, ${expired} expired,` : ""} in ${printable(lro.outputDir)}`;
    return write(`${table(files)}${sum}${next === undefined ? "" : "; there are more (--limit)"}${notListed}\n`);
  });
}

/** The files of all pages, up to the limit. */
async function listed(lro, { session, limit = Infinity, noSha256 }) {
  const all = { files: [], foreign: 0, unfinished: 0 };
  do {
    const most = Math.min(PAGE_FILES, limit - all.files.length);
    const page = await lro.listFiles({ session, limit: most, next: all.next, sha256: noSha256 ? false : undefined });
    page.remarks.forEach(remark);
    all.files.push(...page.files);
    all.foreign += page.foreign;
    Object.assign(all, { next: page.next ?? undefined, unfinished: page.unfinished });
  } while (all.next !== undefined && all.files.length < limit);
  return all;
}

/** Columns, the numbers right-aligned. */
function table(files) {
  if (files.length === 0) return "";
  const rows = [HEADER, ...files.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => [...row[column]].length)));
  const padded = (cell, column) => {
    const space = " ".repeat(widths[column] - [...cell].length);
    return NUMBERS.includes(column) ? space + cell : cell + space;
  };
  return rows.map((row) => `${row.map(padded).join("  ").trimEnd()}\n`).join("");
}

function cells(file) {
  const expires = file.expired ? "expired" : (file.expires_at ?? "never");
  const created = file.created_at.replace(/\..*/, "Z");
  const numbers = [file.count, file.bytes, file.estimated_tokens].map(String);
  return [printable(file.file_name), printable(file.operation), ...numbers, created, expires, (file.sha256 ?? "-").slice(0, SHA256_CHARACTERS)];
}
