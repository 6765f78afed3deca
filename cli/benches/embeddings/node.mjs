// The rows of embeddings.py in node, and what node does without the package: `node node.mjs FOLDER PACKAGE`, where PACKAGE
// is the folder in which `lro-component` is installed.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { median } from "./median.mjs";

const [folder, where] = process.argv.slice(2);
const { rows, sizes, filter } = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"));
const payloads = Object.fromEntries(sizes.map((size) => [size, readFileSync(join(folder, `${size}.json`), "utf8")]));

const own = {
  filter: (text) => JSON.parse(text).filter((record) => record.provenance?.confidence > 0.8 && record.tags?.includes("cache")).map((record) => record.id),
  1: (text) => JSON.parse(text).map((record) => `${record.title}\t${record.namespace}`),
  6: (text) => {
    const counts = new Map();
    for (const { namespace } of JSON.parse(text)) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    return [...counts];
  },
  8: (text) => JSON.parse(text).sort((one, other) => ((one.created ?? "") < (other.created ?? "") ? 1 : -1)).map((record) => JSON.stringify(record)),
  offload: (text) => JSON.parse(text).map((record) => JSON.stringify(record)).join("\n"),
};

const files = {};
const lro = where && (await open());
async function open() {
  const { Lro } = await import(pathToFileURL(createRequire(join(where, "x.js")).resolve("lro-component")));
  return Lro.open({ outputDir: join(folder, "results") });
}

const measured = {};
for (const { name, call, size, recipe, runs } of rows) {
  const payload = payloads[size];
  const request = { limit: 1_000_000, maxBytes: 256 << 20, timeoutMs: 60_000 };
  if (!lro) {
    const work = own[call === "extract" ? (recipe ?? "filter") : call];
    if (work) measured[name] = await median(() => work(payload), runs);
  } else if (call === "open") {
    measured[name] = await median(async () => {
      const other = await open();
      await other.offload({ operation: "recall", payload: payloads.small });
      await other.close();
    }, runs);
  } else if (call === "offload") {
    measured[name] = await median(async () => {
      const { response } = await lro.offload({ operation: "recall", payload, detail: "full" });
      files[size] = response?.file_path;
    }, runs);
  } else {
    const what = recipe ? { recipe } : { query: filter };
    measured[name] = await median(() => lro.extract({ filePath: files[size], ...request, ...what }), runs);
  }
}
console.log(JSON.stringify(measured));
await lro?.close();
