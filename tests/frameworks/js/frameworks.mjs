// What the tests share: a folder with real files, tools that read them, and a real MCP server.

import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** 5,000 issues: 500 KB, about 130,000 tokens. */
export const ISSUES = Array.from({ length: 5000 }, (_, id) => ({
  id, state: id % 3 ? "open" : "closed", title: `Issue ${id}`, body: "It fails when the disk is full.",
}));

/** The answer to the second call of each model. */
export const FILTER = { query: 'select(.state == "closed") | .id', limit: 3 };
export const FOUND = [0, 3, 6];

/** A folder that is gone after the test. */
export function folder(t) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "lro-frameworks-")));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A folder with `issues.json`, and one for results. */
export function places(t) {
  const [data, outputDir] = [folder(t), folder(t)];
  const file = join(data, "issues.json");
  writeFileSync(file, JSON.stringify(ISSUES));
  return { data, file, outputDir, options: { outputDir } };
}

/** What tools do: each framework says it in its own words. */
export function functions({ file }) {
  return {
    issues: () => JSON.parse(readFileSync(file, "utf8")),
    text: () => readFileSync(file, "utf8"),
    small: () => ({ size: readFileSync(file).length }),
    fails: () => { throw new Error("the tracker is down"); },
  };
}

/** The command line of the reference server for files. */
export function filesystem(data) {
  const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json");
  return { command: process.execPath, args: [join(dirname(manifest), "dist", "index.js"), data] };
}

/** The path of the file that a response in a text says. */
export function pathIn(text) {
  const path = /\\?"file_path\\?":\s*\\?"([^"\\]+)/.exec(text)?.[1];
  if (!path) throw new Error(`no response: ${text.slice(0, 300)}`);
  return path;
}

/** The results of an extraction, in a text. */
export function resultsIn(text) {
  const results = /\[[\s\d,]*\]/.exec(text)?.[0];
  return results ? JSON.parse(results) : text.trim().split(/\s+/).map(Number);
}

/** The names of all offloaded files. */
export function filesOf(directory) {
  return readdirSync(directory, { recursive: true }).filter((name) => name.endsWith(".jsonl"));
}

/** What is closed after the test: `await using` needs a newer node. */
export function closing(t, one) {
  t.after(() => one[Symbol.asyncDispose]());
  return one;
}
