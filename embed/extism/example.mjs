// Offloads a tool's result, and reads from it: node example.mjs RESULT.json DIRECTORY, in this folder.

import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import v8 from "node:v8";

import createPlugin from "@extism/extism";

// node's WASI can crash the process when garbage is collected within a fast call: nodejs/node#46777.
v8.setFlagsFromString("--no-turbo-fast-api-calls");

/** The plug-in for one directory, which has the same name inside. This SDK takes of a manifest the file alone. */
async function opened(directory) {
  const { wasm } = JSON.parse(readFileSync("manifest.json", "utf8"));
  const config = { settings: JSON.stringify({ output_dir: directory }) };
  return createPlugin({ wasm }, { useWasi: true, allowedPaths: { [directory]: directory }, config });
}

/** What to return to the model in a result's place: an accident of offloading is none of the tool's. */
async function offloaded(plugin, result, operation) {
  try {
    const answer = await plugin.call("offload", JSON.stringify({ payload: result, request: { operation, memories: true } }));
    return answer.json().ok.text ?? result;
  } catch (error) {
    console.error(`the result is passed on as it is: ${error.message}`);
    return result;
  }
}

const [file, directory] = process.argv.slice(2);
process.umask(0o077);
mkdirSync(directory, { recursive: true });
const plugin = await opened(realpathSync(directory));
const result = readFileSync(file, "utf8");
const text = await offloaded(plugin, result, "recall");
const response = JSON.parse(text);
console.log(`the model reads ${text.length} characters, the result has ${Buffer.byteLength(result)} bytes`);
console.log(response.file_path);

const asked = { source: { file: response.file_path }, request: { recipe: 6, limit: 3 } };
console.log((await plugin.call("extract", JSON.stringify(asked))).json().ok.results.trimEnd());
await plugin.close();
