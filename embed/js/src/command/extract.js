// `extract`: prints the results of a recipe, a jq filter or criteria, one on each line.

import { LroError } from "../error.js";
import { MOST_MS } from "../limits.js";
import { Pages } from "../pages.js";
import { continuation } from "./continuation.js";
import { Failure } from "./failure.js";
import { counted, remark, write } from "./output.js";
import { FILE, FOLDER, withSource } from "./source.js";
import { number, oneOf, seconds } from "./values.js";
import { withFlags } from "./with-flags.js";

export const ABOUT = "Print the results of a recipe, a jq filter or criteria over an offloaded file";

export const ARGUMENTS = [FILE];

export const FLAGS = [
  { name: "recipe", value: "1-10", read: number, without: ["query"], help: "Run this recipe of the file's response" },
  { name: "query", value: "JQ", help: "Run this jq filter once for each record, or on the document" },
  { name: "on", value: "records|document", read: oneOf("records", "document"), help: "What the filter runs on" },
  { name: "where", value: "CRITERION", repeats: true, help: "Print the records that meet this condition, without jq; may be repeated" },
  { name: "select", value: "FIELD,...", repeats: true, read: list, without: ["recipe", "query"], help: "Print only these fields of the records" },
  { name: "count", help: "Print how many records there are, or how many results of the recipe or the filter" },
  { name: "group-by", value: "FIELD,...", without: ["recipe", "query"], help: "Print how many records there are for each value of a field, or of several" },
  { name: "aggregate", value: "AGGREGATE,...", repeats: true, read: list, without: ["recipe", "query"], help: "Print sum(FIELD), avg, min, max, count_distinct or count, of all or of each group" },
  { name: "per-group", value: "N", read: number, needs: "group-by", help: "Print the first N records of each group instead" },
  { name: "sort-by", value: "FIELD", without: ["recipe"], help: "Sort by a field, or groups by count or an aggregate; -FIELD for descending order" },
  { name: "line", value: "N", read: number, help: "Read only this line of the file; without a filter, print its record or text unchanged" },
  { name: "lines", value: "N", read: number, needs: "line", help: "Read this many lines, from --line on" },
  { name: "records", value: ".PATH", help: "Read something beside the records instead: a list, a map or a value of the document" },
  { name: "param", key: "params", value: "NAME=VALUE", repeats: true, read: param, help: "Set the recipe's parameter, or a variable of the filter" },
  { name: "slurp", help: "Run the filter once, on the array of all records" },
  { name: "raw", help: "Print strings without quotes and escapes" },
  { name: "limit", value: "N", read: number, help: "Print at most this many results" },
  { name: "next", value: "TOKEN", help: "Continue where a cut page ended" },
  { name: "max-bytes", value: "N", read: number, help: "Print at most this many bytes" },
  { name: "timeout", value: "SECONDS", read: seconds, help: "Let the filter run this long [default: 2, and 1 more for each 20 MB of FILE]" },
  { name: "strict", help: "Fail at the first record on which the filter fails" },
  { name: "into", without: ["raw", "max-bytes"], help: "Put the results into a new file beside FILE and print its response" },
  FOLDER,
];

export const NATIVE_FLAGS = ["max-memory", "threads", "store"];

export const EXAMPLES = `
Examples:
  lro extract FILE --recipe 6
  lro extract FILE --query 'select(.tags | index("adr")) | {id, title}'
  lro extract FILE --where 'priority>=3' --select id,title --sort-by -created --limit 5`;

/** At least one of these says what to run. */
const WHAT = ["recipe", "query", "where", "select", "count", "groupBy", "aggregate", "sortBy", "line"];

/** The line that failures name where a filter failed on the document. */
const DOCUMENT_LINE = 1;

export async function run({ file, timeout, params, raw, select, aggregate, ...flags }) {
  if (!WHAT.some((key) => ({ ...flags, select, aggregate })[key] !== undefined)) {
    throw Failure.usage("`extract` needs to know what to print: --recipe, --query, --where, --select, --count, --group-by, --aggregate, --sort-by or --line");
  }
  // No work is done in no time.
  if (timeout === 0) throw LroError.tooSlow("extraction", 0);
  const { outputDir: _, settingsFile: __, environmentPrefix: ___, jsonErrors: ____, ...request } = flags;
  return withSource({ ...flags, file }, async (lro, source) => {
    const pages = new Pages({
      ...source,
      ...request,
      select: select?.flat(),
      aggregate: aggregate?.flat(),
      params: params && Object.fromEntries(params),
      raw: raw ? true : null,
      timeoutMs: timeout && Math.min(timeout * 1000, MOST_MS),
    });
    let all = { count: 0, failed: 0, failures: [], remarks: [] };
    while (!pages.isOver) {
      const page = await lro.extract(pages.request).catch((error) => pages.end(error));
      if (!page) break;
      pages.add(page);
      await write(page.text);
      all = { ...page, count: all.count + page.count, failed: all.failed + (page.failed ?? 0), failures: all.failures.concat(page.failures ?? []) };
    }
    told(all);
  });
}

/** Says on standard error what the results do not show. */
function told({ count, failed, failures: [first], remarks = [], next }) {
  if (first?.line === DOCUMENT_LINE) remark(`the filter failed on the document, after these results: ${first.message}`);
  else if (first) remark(`${counted(failed, "record")} failed; first: line ${first.line}: ${first.message}`);
  if (first?.hint) remark(withFlags(first.hint));
  remarks.forEach((text) => remark(withFlags(text)));
  if (next !== undefined) remark(`cut after ${counted(count, "result")}; go on with: ${continuation(next)}`);
}

function list(text) {
  return text.split(",");
}

function param(text, name) {
  const equals = text.indexOf("=");
  if (equals < 0) throw Failure.usage(`\`${name}\` takes NAME=VALUE, not \`${text}\``);
  return [text.slice(0, equals), text.slice(equals + 1)];
}
