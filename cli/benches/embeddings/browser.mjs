// The rows of embeddings.py in Chromium, through the component of the page: `browser.mjs FOLDER PACKAGE`, where PACKAGE is
// embed/browser with its packages, and LRO names the command.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [folder, where] = process.argv.slice(2);
const { buildSync } = createRequire(resolve(where, "x.js"))("esbuild");
const { served } = await import(pathToFileURL(resolve(where, "test/served.js")));

const cases = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"));
const payloads = Object.fromEntries(cases.sizes.map((size) => [size, readFileSync(join(folder, `${size}.json`), "utf8")]));
const median = fileURLToPath(new URL("median.mjs", import.meta.url));
const contents = `export { Component } from "./src/component.js"; export { median } from ${JSON.stringify(median)};`;
const bundled = { bundle: true, format: "iife", globalName: "bench", write: false };
const [{ text }] = buildSync({ stdin: { contents, resolveDir: resolve(where) }, ...bundled }).outputFiles;

const { url, browser, end } = await served();
try {
  const page = await browser.newPage();
  await page.goto(url);
  await page.evaluate(`${text}; globalThis.bench = bench`);
  console.log(JSON.stringify(await page.evaluate(measure, { ...cases, payloads })));
} finally {
  await end();
}

/** In the page: the medians of all rows in milliseconds. */
async function measure({ rows, filter, payloads }) {
  const bytes = await (await fetch("lro.wasm")).arrayBuffer();
  const { Component, median } = globalThis.bench;
  const lro = await Component.load(bytes.slice(0));
  const request = { operation: "recall" };
  const files = {};
  const measured = {};

  for (const { name, call, size, recipe, runs } of rows) {
    const payload = payloads[size];
    const all = { limit: 1_000_000, max_bytes: 256 << 20, ...(recipe ? { recipe } : { query: filter }) };
    const calls = {
      open: async () => (await Component.load(bytes.slice(0))).offload(payload, request, [{}]),
      offload: async () => {
        const [{ outcome }] = await lro.offload(payload, { ...request, detail: "full" }, [{}]);
        files[size] = outcome?.val?.fileName;
      },
      extract: () => lro.extract(files[size], all),
    };
    measured[name] = await median(calls[call], runs);
  }
  return measured;
}
