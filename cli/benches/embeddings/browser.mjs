// The rows of embeddings.py in Chromium, through the component of the page: `browser.mjs FOLDER PACKAGE`, where PACKAGE is
// embed/browser with its packages, and LRO names the command.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, where] = process.argv.slice(2);
const require = createRequire(resolve(where, "x.js"));
const { chromium } = require("playwright-core");
const { buildSync } = require("esbuild");

const cases = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"));
const sizes = ["small", "1 MB", "20 MB"];
const payloads = Object.fromEntries(sizes.map((size) => [size, readFileSync(join(folder, `${size}.json`), "utf8")]));
const component = buildSync({
  entryPoints: [resolve(where, "src/component.js")], bundle: true, format: "iife", globalName: "lroComponent", write: false,
}).outputFiles[0].text;

const server = spawn(process.env.LRO ?? "lro", ["demo", "--web"], { stdio: ["ignore", "pipe", "inherit"] });
const [line] = await once(createInterface(server.stdout), "line");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  await page.goto(/http:\S+/.exec(line)[0]);
  await page.evaluate(`${component}; globalThis.Component = lroComponent.Component`);
  console.log(JSON.stringify(await page.evaluate(measure, { ...cases, payloads })));
} finally {
  await browser.close();
  server.kill();
}

/** In the page: the medians of all rows in milliseconds. */
async function measure({ rows, filter, payloads }) {
  const bytes = await (await fetch("lro.wasm")).arrayBuffer();
  const { Component } = globalThis;
  const lro = await Component.load(bytes.slice(0));
  const request = { operation: "recall" };
  const files = {};
  const measured = {};

  async function median(work, runs) {
    const times = [];
    for (let run = 0; run <= runs; run++) {
      const start = performance.now();
      await work();
      if (run > 0) times.push(performance.now() - start);
    }
    return times.sort((one, other) => one - other)[times.length >> 1];
  }

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
