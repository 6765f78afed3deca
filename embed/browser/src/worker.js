// A worker with the component in it. It answers one call after the other; the page ends it when a call overruns, and gives the
// next one the files.

import { instantiate } from "../built/component.js";
import { instantiated } from "../../js/src/instance.js";
import { KEPT_BYTES } from "../../js/src/limits.js";
import { packed } from "../../js/src/texts.js";
import { trap } from "../../js/src/trap.js";
import { lastWords, wasi } from "../../js/src/wasi.js";
import { GRANTED, MemoryDisk, types } from "./memory-disk.js";

/** What the next call reaches, and the time and the chance that it happens at. */
let disk;
let moment;
let modules;
let instance;

const clock = wasi["wasi:clocks/wall-clock"];
const random = wasi["wasi:random/random"];

const imports = {
  ...wasi,
  "wasi:clocks/wall-clock": { now: () => moment?.now ?? clock.now() },
  "wasi:random/random": { getRandomU64: () => moment?.random ?? random.getRandomU64() },
  "wasi:filesystem/types": types,
  "wasi:filesystem/preopens": { getDirectories: () => (disk ? [[disk.root(), GRANTED]] : []) },
};

async function called([face, name], given) {
  instance ??= await instantiated(instantiate, modules, imports);
  return instance.exports[face][name](...given);
}

/** What a call may be. */
const calls = {
  /** A call that only reads. */
  read: ({ function: path, given }) => called(path, given),

  /**
   * An offload, once for each of the settings. All happen at the same moment, so they name the same file; the files that
   * the first has written stay.
   */
  async offload({ payload, request, settings: [first, ...others] }) {
    moment = { now: clock.now(), random: random.getRandomU64() };
    const kept = disk;
    const before = new Set(kept.files().map(([name]) => name));
    const answers = [await called(["offloader", "offload"], [payload, request, first])];
    for (const settings of others) {
      disk = new MemoryDisk();
      answers.push(await called(["offloader", "offload"], [payload, request, settings]));
    }
    return { answers, files: kept.files().filter(([name]) => !before.has(name)) };
  },
};

async function answer({ kind, ...call }) {
  lastWords();
  const kept = disk;
  try {
    return { value: await calls[kind](call) };
  } catch (error) {
    if (!(error instanceof Error)) return { failure: error };
    // After a trap an instance cannot be entered again.
    instance = undefined;
    return { trap: trap(error) };
  } finally {
    disk = kept;
    moment = undefined;
  }
}

// The first message is what the worker works with.
addEventListener("message", function begin({ data }) {
  removeEventListener("message", begin);
  modules = data.modules;
  disk = new MemoryDisk(data.files);
  addEventListener("message", async (message) => {
    postMessage(...packed(await answer(message.data)));
    if (instance && instance.bytes() > KEPT_BYTES) instance = undefined;
  });
  // The time of a call begins here.
  postMessage({ isReady: true });
});
