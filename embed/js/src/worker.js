// A thread with the component in it. It answers one call after the other; whoever started it ends it when a call overruns.

import { parentPort, workerData } from "node:worker_threads";

import { WASIShim } from "@bytecodealliance/preview2-shim/instantiation";

import { instantiate } from "../component/lro.js";
import { GRANTED, allowWriting, guard, place } from "./grant.js";
import { KEPT_BYTES, MOST_PAGES } from "./limits.js";

/** The directory that the present call may reach, as WASI hands it out. The component asks for it anew in every call. */
let granted = [];

/** What the component wrote to its standard error in this call: Rust says there why it aborts. */
let lastWords = "";
process.stderr.write = (text) => {
  lastWords = (lastWords + (typeof text === "string" ? text : Buffer.from(text))).slice(-2000);
  return true;
};

/** WASI without environment, arguments and network, and with this directory alone. */
function wasi(directory) {
  const sandbox = { preopens: directory ? { [GRANTED]: directory } : {}, env: {}, args: [], enableNetwork: false };
  return new WASIShim({ sandbox }).getImportObject();
}

const imports = wasi(undefined);
guard(imports["wasi:filesystem/types"].Descriptor);

function grant(directory) {
  granted = wasi(directory)["wasi:filesystem/preopens"].getDirectories();
  for (const [descriptor] of granted) place(descriptor, directory);
}

async function instantiated() {
  let memory;
  const core = async (module, given) => {
    const started = await WebAssembly.instantiate(module, given);
    memory ??= started.exports.memory;
    return started;
  };
  const preopens = { getDirectories: () => [...granted] };
  const exports = await instantiate((name) => workerData.modules[name], { ...imports, "wasi:filesystem/preopens": preopens }, core);
  return { exports, bytes: () => memory.buffer.byteLength };
}

/** What kind of trap it was; V8 tells them apart by their words only. */
function trap(error) {
  const message = `${error.message} ${lastWords}`.trim();
  const memoryMib = MOST_PAGES / 16;
  if (/memory allocation of|out of memory|allocation failed/i.test(message)) return { kind: "memory", message, memoryMib };
  // Rust's stack lies at the bottom of memory and ends at its first byte; V8 has a stack of its own.
  if (/out of bounds|call stack/i.test(message)) return { kind: "stack", message };
  return { kind: "other", message };
}

async function answer({ directory, writes, function: [face, name], given }) {
  lastWords = "";
  try {
    instance ??= await instantiated();
    grant(directory);
    allowWriting(writes);
    return { value: instance.exports[face][name](...given) };
  } catch (error) {
    if (error?.payload?.tag) return { failure: error.payload };
    // After a trap an instance cannot be entered again.
    instance = undefined;
    return { trap: trap(error) };
  }
}

let instance;

parentPort.on("message", async (call) => {
  parentPort.postMessage(await answer(call));
  if (instance && instance.bytes() > KEPT_BYTES) instance = undefined;
});
