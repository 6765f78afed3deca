// The component's code, compiled once, and the threads that run it.

import { readFile } from "node:fs/promises";

import { Lane } from "./lane.js";
import { LroError } from "./error.js";

const CORE_MODULES = ["lro.core.wasm", "lro.core2.wasm", "lro.core3.wasm", "lro.core4.wasm"];

/** What all `Lro` objects that were opened from each other share. */
export class Engine {
  #writing;
  #reading;

  static async load() {
    const load = async (name) => [name, await WebAssembly.compile(await readFile(new URL(`../component/${name}`, import.meta.url)))];
    try {
      return new Engine(Object.fromEntries(await Promise.all(CORE_MODULES.map(load))));
    } catch (error) {
      const hint = "in a clone of the repository, run `npm run build` first";
      throw new LroError({ code: "unusable", message: `cannot load the component: ${error.message}`, hint }, { cause: error });
    }
  }

  constructor(modules) {
    this.#writing = new Lane(modules);
    this.#reading = new Lane(modules);
  }

  /** A call that may write to the directory. It has no time limit unless one is given: what is half written is lost. */
  write(directory, method, given, limits) {
    return this.#writing.call({ directory, writes: true, function: method, given }, limits);
  }

  /** A call that only reads, so that ending its thread loses nothing. */
  read(directory, method, given, limits) {
    return this.#reading.call({ directory, writes: false, function: method, given }, limits);
  }

  async close() {
    await Promise.all([this.#writing.close(), this.#reading.close()]);
  }
}
