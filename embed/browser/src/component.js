// The component as the page calls it: it runs in a worker that is ended when a call takes too long. The page holds the bytes
// of all files, so the next worker has them too.

import { coreModules, isComponent, largest } from "../../js/src/core-modules.js";
import { LroError } from "../../js/src/error.js";
import { Lane } from "../../js/src/lane.js";
import { MOST_PAGES, offloadingTime, readingTime } from "../../js/src/limits.js";
import { withMaximumMemory } from "../../js/src/maximum-memory.js";
import { GRANTED } from "./memory-disk.js";

/** Where the files seem to be, for those who read a response. */
const PUBLIC = "/results";

/** Answers to the table and to the filters of the page are not for a context window. */
const ANSWER_BYTES = 1 << 20;

const SETTINGS = { output_dir: GRANTED, public_dir: PUBLIC };

export class Component {
  #modules;
  #files = new Map();
  #lane = new Lane(() => this.#begin());
  #last = Promise.resolve();
  #isStopping = false;

  /** `bytes`: the component's file. */
  static async load(bytes) {
    const component = new Component();
    component.#modules = await compiled(new Uint8Array(bytes));
    return component;
  }

  /** Offloads a text. Returns an answer for each of the settings; the file is the same in all of them. */
  async offload(payload, request, settings) {
    const call = { kind: "offload", payload, request: JSON.stringify(request), settings: settings.map(text) };
    const { answers, files } = await this.#call(call, "offloading", settings.length * offloadingTime(payload.length));
    for (const [name, bytes] of files) this.#files.set(name, bytes);
    return answers;
  }

  estimate(payload, request, settings = {}) {
    return this.#read("estimating", ["offloader", "estimate"], [payload, JSON.stringify(request), text(settings)], payload.length);
  }

  /** A page of an extraction. */
  extract(file, request) {
    return this.#read("extraction", ["offloader", "extract"], [source(file), JSON.stringify(request), text({})], this.#bytes(file));
  }

  /** The answer of one of the tools, as an object of MCP. */
  async tool(name, given) {
    const settings = text({ max_answer_bytes: ANSWER_BYTES, guidance: "tool" });
    const call = [name, JSON.stringify(given), settings];
    return JSON.parse(await this.#read("extraction", ["mcp", "call"], call, this.#bytes(given.file_path ?? "")));
  }

  /** The document that a file comes from, part by part. */
  async *rebuild(file) {
    let next;
    do {
      const given = [source(file), JSON.stringify({ next }), text({})];
      const part = await this.#read("rebuilding", ["documents", "rebuildPart"], given, this.#bytes(file));
      yield part.text;
      next = part.next;
    } while (next !== undefined);
  }

  /** Forgets all files. */
  async forget() {
    this.#files.clear();
    await this.#lane.end();
  }

  /** Ends the call that runs. */
  async stop() {
    this.#isStopping = true;
    await this.#lane.end();
  }

  #read(operation, path, given, bytes) {
    return this.#call({ kind: "read", function: path, given }, operation, readingTime(bytes));
  }

  /** One call after the other: a call's time begins when it is its turn. */
  #call(call, operation, milliseconds) {
    const run = async () => {
      this.#isStopping = false;
      try {
        return await this.#lane.run(call, { operation, milliseconds });
      } catch (error) {
        throw this.#isStopping ? new LroError({ case: "other", message: `${operation} stopped, as you asked` }) : ofPage(error);
      }
    };
    const answer = this.#last.then(run, run);
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** A worker as the lane wants it: with the methods of node's. */
  #begin() {
    const worker = new Worker("worker.js", { name: "lro" });
    worker.postMessage({ modules: this.#modules, files: [...this.#files] });
    const listeners = {
      message: (tell) => worker.addEventListener("message", ({ data }) => tell(data)),
      error: (tell) => worker.addEventListener("error", ({ message }) => tell(new Error(message || "its worker ended"))),
    };
    return {
      on: (name, tell) => listeners[name]?.(tell),
      postMessage: (call, memory) => worker.postMessage(call, memory),
      terminate: () => worker.terminate(),
      ref() {},
      unref() {},
    };
  }

  #bytes(file) {
    return this.#files.get(file.replace(/^.*\//, ""))?.length ?? 0;
  }
}

function text(settings) {
  return JSON.stringify({ ...SETTINGS, ...settings });
}

/** An error as a visitor reads it, who has no options to set. */
function ofPage(error) {
  if (error.limit === "timeout_ms") error.hint = "Look at less data, or give the filter an end.";
  return error;
}

function source(file) {
  return { tag: "file", val: file };
}

/** The core modules as they are bound: the guest, with a bound on its memory, and the small ones. */
async function compiled(component) {
  if (!isComponent(component)) throw new LroError({ case: "unusable", message: "cannot load the component: lro.wasm is something else" });
  const modules = coreModules(component);
  const guest = largest(modules);
  const bounded = modules.map((module) => (module === guest ? withMaximumMemory(module, MOST_PAGES) : module));
  const compile = async (module, at) => [`lro.core${at === 0 ? "" : at + 1}.wasm`, await WebAssembly.compile(module)];
  return Object.fromEntries(await Promise.all(bounded.map(compile)));
}
