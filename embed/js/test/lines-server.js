// A server that says what it is told: the strings in `params.say` of a request, byte for byte, and ends with `params.exit`.
// What it reads goes to the file in LRO_TEST_LOG. Its first line of standard error says its process id.

import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

process.stderr.write(`server ${process.pid}\n`);
// Some servers take their time, or do not listen at all.
if (process.env.LRO_TEST_DEAF) process.on("SIGTERM", () => {});
const keep = process.env.LRO_TEST_DEAF ? setInterval(() => {}, 1000) : undefined;

createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  if (process.env.LRO_TEST_LOG) appendFileSync(process.env.LRO_TEST_LOG, `${line}\n`);
  const { params = {} } = parsed(line);
  for (const text of params.say ?? []) process.stdout.write(text);
  if (params.large) process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(parsed(line).id)},"result":{"content":[{"type":"text","text":${JSON.stringify(rows(params.large))}}]}}\n`);
  if (params.exit !== undefined) process.stdout.write("", () => process.exit(params.exit));
  if (params.kill) process.stdout.write("", () => process.kill(process.pid, params.kill));
}).on("close", () => clearInterval(keep || undefined));

function parsed(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

/** So many bytes of rows, or a few more. */
function rows(bytes) {
  const row = (id) => ({ id, name: `row ${id}`, text: "x".repeat(100) });
  return JSON.stringify(Array.from({ length: Math.ceil(bytes / 140) }, (_, id) => row(id)));
}
