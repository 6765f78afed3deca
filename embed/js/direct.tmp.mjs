// node [--stack-size=256] direct.tmp.mjs FILTERS RECORDS_FILE|small OUT : runs each filter in the main thread at default settings, without limits of a host
import { readFileSync, appendFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { instantiate } from "./component/lro.js";
import { modules } from "./component/embedded.js";
import { types, preopens } from "./src/disk.js";
import { wasi, lastWords } from "./src/wasi.js";
const [, , filters, records, out, only] = process.argv;
const imports = { ...wasi, "wasi:filesystem/types": types, "wasi:filesystem/preopens": preopens };
const compiled = {};
for (const [n, t] of Object.entries(modules)) compiled[n] = new WebAssembly.Module(brotliDecompressSync(Buffer.from(t, "base64")));
let memory;
const fresh = async () => { memory = undefined; return instantiate((name) => compiled[name], imports, async (m, g) => { const i = await WebAssembly.instantiate(m, g); memory ??= i.exports.memory; return i; }); };
const header = (n) => JSON.stringify({ type: "lro_header", operation: "x", query: null, count: n, schema_version: "1.0.0", timestamp: "2026-01-01T00:00:00.000Z", estimated_tokens: 10, detail: "full" });
const content = records === "small" ? `${header(2)}\n{"id":"a","tags":["x"],"n":1}\n{"id":"b","tags":["y"],"n":2}\n` : readFileSync(records, "utf8");
let instance = await fresh();
const repeat = (q) => q.replace(/<<repeat (\d+) (.*?)>>/g, (_, n, t) => t.repeat(+n));
let all = false;
for (const raw of readFileSync(filters, "utf8").split("\n")) {
  if (raw === "# all") all = true;
  if (!raw || raw.startsWith("#")) continue;
  const hostile = raw.includes(" | ") && /^[a-z_ -]+ \| /.test(raw) && filters.includes("hostile");
  const [expected, query] = hostile ? [raw.slice(0, raw.indexOf(" | ")), repeat(raw.slice(raw.indexOf(" | ") + 3))] : ["", raw];
  if (only && !query.includes(only)) continue;
  const t = performance.now();
  let end;
  try {
    const page = instance["offloader"] ? instance["offloader"].extract({ tag: "content", val: content }, JSON.stringify({ query, ...(all ? { slurp: true } : {}) }), "{}") : undefined;
    end = `results ${page.count} failed ${page.failed}`;
  } catch (e) {
    const c = e?.payload ?? e;
    if (e instanceof Error && !c?.tag) { end = `TRAP ${e.message} ${lastWords()}`; instance = await fresh(); }
    else end = `${c.tag} ${c.val?.limit ?? ""} ${c.val?.value ?? ""} ${(c.val?.message ?? "").slice(0, 90)}`;
  }
  const line = `${((performance.now() - t) / 1000).toFixed(2).padStart(7)} s  ${String(Math.round((memory?.buffer.byteLength ?? 0) / 1048576)).padStart(4)} MiB  ${query.slice(0, 70)} => ${end.slice(0, 160)}  [${expected}]`;
  appendFileSync(out, line + "\n");
  if (memory.buffer.byteLength > 64 << 20) instance = await fresh();
}
