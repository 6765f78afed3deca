// What the package costs, against what a developer would do without it: JSON.parse, and jq as a child process.
//
//   npm run bench [FILE]     FILE holds a JSON array of records

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Lro } from "../src/index.js";

const RUNS = 30;
const payload = readFileSync(process.argv[2] ?? new URL("../example/memories.json", import.meta.url), "utf8");
const directory = mkdtempSync(join(tmpdir(), "lro-bench-"));

/** The median of some runs in milliseconds. */
async function median(work, runs = RUNS) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other)[runs >> 1];
}

/** The longest time that the event loop was kept from turning while something ran. */
async function longestBlock(work) {
  let longest = 0;
  let last = performance.now();
  let goesOn = true;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (goesOn) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  goesOn = false;
  return longest;
}

const row = (name, value) => console.log(`| ${name} | ${value.toFixed(value < 10 ? 1 : 0)} ms |`);

console.log(`${JSON.parse(payload).length} records, ${(payload.length / 1e6).toFixed(2)} MB, node ${process.version}\n\n| what | median |\n|---|---|`);

row("`Lro.open`, cold", await median(async () => (await Lro.open({ outputDir: directory })).close(), 5));
const lro = await Lro.open({ outputDir: directory });
const { response } = await lro.offload({ operation: "recall", payload, detail: "full" });
const filePath = response.file_path;
row("first `offload` of a process", await median(async () => {
  const other = await Lro.open({ outputDir: directory });
  await other.offload({ operation: "recall", payload });
  await other.close();
}, 5));
row("`offload`", await median(() => lro.offload({ operation: "recall", payload })));
row("the event loop is blocked by an `offload` for", await longestBlock(() => lro.offload({ operation: "recall", payload })));
row("`offload` of a small result", await median(() => lro.offload({ operation: "recall", payload: '[{"id":1}]' })));
row("`extract`, recipe 6", await median(() => lro.extract({ filePath, recipe: 6 })));
row("`extract`, a filter", await median(() => lro.extract({ filePath, query: 'select(.memory_type == "semantic") | .title' })));
row("`JSON.parse` of the whole", await median(() => JSON.parse(payload)));
const recipe = response.jq_recipes[5].command;
if (spawnSync("jq", ["--version"]).status === 0) {
  row("recipe 6 as printed, jq as a child process", await median(() => execFileSync("sh", ["-c", recipe], { stdio: "pipe" })));
}
await lro.close();
rmSync(directory, { recursive: true });
