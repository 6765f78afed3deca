// A thread with the component in it. It answers one call after the other; whoever started it ends it when a call overruns.
//
// The build puts it into one text with all that it imports, so that it needs no file beside it.

import { parentPort, workerData } from "node:worker_threads";

import { instantiate } from "../component/lro.js";
import { grant, preopens, revoke, types } from "./disk.js";
import { instantiated } from "./instance.js";
import { KEPT_BYTES } from "./limits.js";
import { packed } from "./texts.js";
import { trap } from "./trap.js";
import { lastWords, wasi } from "./wasi.js";

const imports = { ...wasi, "wasi:filesystem/types": types, "wasi:filesystem/preopens": preopens };

async function answer({ directory, writes, isFresh, function: [face, name], given }) {
  lastWords();
  if (isFresh) instance = undefined;
  try {
    instance ??= await instantiated(instantiate, workerData.modules, imports);
    grant(directory, writes);
    return { value: instance.exports[face][name](...given) };
  } catch (error) {
    if (!(error instanceof Error)) return { failure: error };
    // After a trap an instance cannot be entered again.
    instance = undefined;
    return { trap: trap(error) };
  } finally {
    revoke();
  }
}

let instance;

// The time of a call begins here.
parentPort.postMessage({ isReady: true });

parentPort.on("message", async (call) => {
  parentPort.postMessage(...packed(await answer(call)));
  if (instance && instance.bytes() > KEPT_BYTES) instance = undefined;
});
