// The plug-in in Extism's runtime for JavaScript, which is not the one of the other SDKs: V8 and node:wasi.
// LRO_PLUGIN names the built plug-in, LRO_ROOT the repository.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import v8 from "node:v8";

import createPlugin from "@extism/extism";

// nodejs/node#46777: a collection of garbage within a fast call of node:wasi crashes the process.
v8.setFlagsFromString("--no-turbo-fast-api-calls");

const WASM = process.env.LRO_PLUGIN;
const ROOT = process.env.LRO_ROOT;
const ROWS = Array.from({ length: 500 }, (_, id) => ({ id, kind: id % 2 === 0 ? "even" : "odd" }));
const OFFLOAD = { payload: ROWS, request: { operation: "rows" } };

/** A plug-in that is granted a directory, or none, and the path of that directory. */
async function opened(t, { granted = true, ...options } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lro-extism-")));
  const directory = join(root, "results");
  mkdirSync(directory);
  const plugin = await createPlugin({ wasm: [{ path: WASM }] }, {
    useWasi: true,
    // Guest to host, the other way round than in a manifest.
    allowedPaths: granted ? { [directory]: directory } : {},
    config: { settings: JSON.stringify({ output_dir: directory }) },
    ...options,
  });
  t.after(async () => {
    await plugin.close();
    rmSync(root, { recursive: true });
  });
  const call = async (name, input) => (await plugin.call(name, JSON.stringify(input))).json();
  return { plugin, call, directory };
}

test("a result is offloaded and read", async (t) => {
  const { call, directory } = await opened(t);
  const { ok } = await call("offload", OFFLOAD);
  assert.equal(ok.outcome, "offloaded");
  const response = JSON.parse(ok.text);
  assert.equal(response.file_path, join(directory, ok.file_name));
  const lines = readFileSync(response.file_path, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.slice(1), ROWS);
  const page = await call("extract", { source: { file: response.file_path }, request: { query: "select(.id == 7) | .kind" } });
  assert.equal(page.ok.results, '"odd"\n');
  const rebuilt = await call("rebuild", { source: { file: ok.file_name } });
  assert.deepEqual(JSON.parse(rebuilt.ok), ROWS);
});

test("an error says what would mend it", async (t) => {
  const { call } = await opened(t);
  const { ok } = await call("offload", OFFLOAD);
  const { error } = await call("extract", { source: { file: ok.file_name }, request: { query: "selekt(.id)" } });
  assert.equal(error.case, "invalid-query");
  assert.deepEqual(error.known, ["select"]);
});

test("no path leads out", async (t) => {
  const { call, directory } = await opened(t);
  const { file_name: name } = (await call("offload", OFFLOAD)).ok;
  const outside = join(directory, "..", name);
  writeFileSync(outside, readFileSync(join(directory, name)));
  const link = `atlatl-rows-${"0".repeat(26)}.jsonl`;
  symlinkSync(outside, join(directory, link));
  symlinkSync(join(directory, ".."), join(directory, "way-out"));
  for (const file of [outside, `../${name}`, `way-out/${name}`, link, "/etc/passwd"]) {
    const { error } = await call("describe", { source: { file } });
    assert.equal(error?.case, "outside", file);
  }
  const elsewhere = await call("offload", { ...OFFLOAD, settings: { output_dir: join(directory, "..") } });
  assert.equal(elsewhere.ok.outcome, "truncated");
});

test("where nothing can be written, the result is truncated", async (t) => {
  const { call, directory } = await opened(t, { granted: false });
  const { ok } = await call("offload", OFFLOAD);
  assert.equal(ok.outcome, "truncated");
  assert.equal(JSON.parse(ok.text).total, 500);
  assert.deepEqual(ok.events.map((event) => event.name), ["LargeResultDetected", "OffloadWriteFailed"]);
  assert.deepEqual(readdirSync(directory), []);
});

test("a filter without end stops inside, and the plug-in serves on", async (t) => {
  const { call } = await opened(t);
  const { content } = (await call("offload", { ...OFFLOAD, settings: { store: "content" } })).ok;
  // On a busy machine the clock would end them first.
  const settings = { max_milliseconds: 600_000 };
  const extract = (query) => ({ source: { content }, request: { query, limit: 1 }, settings });
  const filters = { "[range(1e9)] | length": "max_steps", "def f: f; f": "max_steps", "def f: 1 + f; f": "max_stack_bytes" };
  for (const [query, limit] of Object.entries(filters)) {
    const { error } = await call("extract", extract(query));
    assert.deepEqual([error.case, error.limit], ["limit-reached", limit], query);
    assert.equal((await call("extract", extract(".id"))).ok.results, "0\n");
  }
});

test("a worker that overruns can be ended", async (t) => {
  const { plugin, call } = await opened(t, { runInWorker: true });
  const { file_name: file } = (await call("offload", OFFLOAD)).ok;
  assert.equal((await call("extract", { source: { file }, request: { query: ".id", limit: 1 } })).ok.results, "0\n");
  const endless = call("extract", {
    source: { file },
    request: { query: "until(false; .)" },
    settings: { max_steps: 4_000_000_000 },
  });
  const late = new Promise((resolve) => setTimeout(resolve, 500, "late"));
  assert.equal(await Promise.race([endless, late]), "late");
  await plugin.close();
});

test("the example works", (t) => {
  // Beside this file, where its import is found.
  const folder = mkdtempSync(join(import.meta.dirname, "example-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const manifest = join(ROOT, "embed/extism/manifest.json");
  const wasm = join(folder, JSON.parse(readFileSync(manifest, "utf8")).wasm[0].path);
  mkdirSync(dirname(wasm), { recursive: true });
  symlinkSync(WASM, wasm);
  cpSync(manifest, join(folder, "manifest.json"));
  cpSync(join(ROOT, "embed/extism/example.mjs"), join(folder, "example.mjs"));
  const command = ["example.mjs", join(ROOT, "tests/fixtures/mif-memories.json"), "results"];
  const lines = execFileSync(process.execPath, command, { cwd: folder, encoding: "utf8" }).trimEnd().split("\n");
  assert.deepEqual(lines.slice(2).map((line) => JSON.parse(line).count), [45, 1, 1]);
});
