// The plug-in in node as an adapter of `lro conformance --engine`: a call a line, a reply a line (docs/CONFORMANCE.md).

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import v8 from "node:v8";

import createPlugin from "@extism/extism";

// nodejs/node#46777: a collection of garbage within a fast call of node:wasi crashes the process.
v8.setFlagsFromString("--no-turbo-fast-api-calls");

const unable = {
  "read-only": "this runtime has no `ro:`",
  full: "node:wasi writes without the functions that a test could replace",
};

// The name that the contract has is taken in a core module.
const names = { read: "read_passage" };

// Compiled once; each call has an instance of its own.
const compiled = await WebAssembly.compile(readFileSync(process.env.LRO_PLUGIN));

async function reply({ id, call, directory, access, ...given }) {
  if (call === "hello") return { answer: { name: "extism-node", unable } };
  const config = directory ? { settings: JSON.stringify({ output_dir: directory }) } : {};
  const allowedPaths = access === "writable" ? { [directory]: directory } : {};
  const plugin = await createPlugin(compiled, { useWasi: true, allowedPaths, config });
  try {
    const name = names[call] ?? call.replace(/^mcp-/, "").replaceAll("-", "_");
    const output = await plugin.call(name, JSON.stringify(given));
    const { ok: answer, error } = output.json();
    return error ? { error } : { answer };
  } catch (error) {
    return { trap: String(error) };
  } finally {
    await plugin.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  console.log(JSON.stringify({ id: asked.id, ...(await reply(asked)) }));
}
