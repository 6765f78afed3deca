// The package on disks of each kind: a good one, one that can only be read, one that is full, one that is broken.

import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
import workers from "node:worker_threads";

import { Lro } from "../src/index.js";

export class Disks {
  #directory;
  #opened = new Map();

  constructor(directory) {
    this.#directory = directory;
  }

  /** The package on a disk of this kind: `writable` and `missing`, `read-only`, `full`, `broken`. */
  on(kind) {
    const fault = ["read-only", "full", "broken"].includes(kind) ? kind : "none";
    if (!this.#opened.has(fault)) this.#opened.set(fault, open(this.#directory, fault));
    return this.#opened.get(fault);
  }

  async close() {
    for (const lro of this.#opened.values()) await (await lro).close();
  }
}

/** Threads that are started while the package opens get the fault; it has started its first two when it is open. */
export async function open(outputDir, fault, options = {}) {
  const { Worker } = workers;
  if (fault !== "none") {
    const execArgv = ["--require", fileURLToPath(new URL("fault.cjs", import.meta.url))];
    workers.Worker = class extends Worker {
      constructor(text, options) {
        super(text, { ...options, execArgv, argv: [fault] });
      }
    };
    syncBuiltinESMExports();
  }
  try {
    const lro = await Lro.open({ outputDir, ownThreads: true, ...options });
    await lro.mcpTools();
    return lro;
  } finally {
    workers.Worker = Worker;
    syncBuiltinESMExports();
  }
}
