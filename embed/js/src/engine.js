// The component's code, compiled once in a process, and the threads that run it, which all `Lro` objects share.

import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

import { compileCore } from "./another-component.js";
import { LroError } from "./error.js";
import { READING_THREADS, TRUNCATING_THREADS, WRITING_THREADS } from "./limits.js";
import { Pool } from "./pool.js";

/** Milliseconds that threads wait for the next user: a server that is made for each request finds them warm. */
const LINGER_MS = 5_000;

/** The pools of threads, and how many users they have. */
class Threads {
  #pools;
  #users = 0;
  #ending;

  constructor(code) {
    this.writing = new Pool(code, WRITING_THREADS);
    this.reading = new Pool(code, READING_THREADS);
    this.truncating = new Pool(code, TRUNCATING_THREADS);
    this.#pools = [this.writing, this.reading, this.truncating];
  }

  enter() {
    clearTimeout(this.#ending);
    this.#users++;
  }

  /** One user less. Without any, the threads end, `soon` or now. */
  async leave({ soon }) {
    if (--this.#users > 0) return;
    if (soon) this.#endWhenIdle();
    else await this.#end();
  }

  #endWhenIdle() {
    const end = () => (this.#pools.every((pool) => pool.isIdle) ? void this.#end() : this.#endWhenIdle());
    this.#ending = setTimeout(end, LINGER_MS).unref();
  }

  async #end() {
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }
}

/** The embedded component, once it is compiled. */
let compiled;
/** The threads that all users of a component share, by its file; that of the embedded one is empty. */
const shared = new Map();
/** The core modules of other components, by file. */
const others = new Map();

/** A user's place among the users of threads. */
class Seat {
  isTaken = false;

  constructor(threads) {
    this.threads = threads;
  }

  take() {
    if (this.isTaken) return;
    this.isTaken = true;
    this.threads.enter();
  }

  async leave(when) {
    if (!this.isTaken) return;
    this.isTaken = false;
    await this.threads.leave(when);
  }
}

/** Whoever is forgotten without being closed keeps no threads. */
const forgotten = new FinalizationRegistry((seat) => void seat.leave({ soon: true }));

/** One user of the threads. */
export class Engine {
  #seat;
  #isClosed = false;
  #unanswered = new Set();

  /** `ownThreads`: not those that the process shares. `component`: the file of another component. */
  static async load({ ownThreads, component = "" }) {
    const code = await codeOf(component);
    if (ownThreads) return new Engine(new Threads(code));
    if (!shared.has(component)) shared.set(component, new Threads(code));
    return new Engine(shared.get(component));
  }

  constructor(threads) {
    this.#seat = new Seat(threads);
    forgotten.register(this, this.#seat);
  }

  /** A call that may write to the directory. */
  write(directory, method, given, limits) {
    return this.#call("writing", { directory, writes: true, function: method, given }, limits);
  }

  /** A call that only reads. */
  read(directory, method, given, limits) {
    return this.#call("reading", { directory, writes: false, function: method, given }, limits);
  }

  /** A call that reaches no directory, in an instance of its own, and waits for none of the above. */
  truncate(method, given, limits) {
    return this.#call("truncating", { writes: false, isFresh: true, function: method, given }, limits);
  }

  /** Lets the threads end soon, unless somebody else uses them. The next call starts them again. */
  async rest() {
    await this.#seat.leave({ soon: true });
  }

  /** Ends the threads, unless somebody else uses them. Calls that have not been answered fail. */
  async close() {
    this.#isClosed = true;
    for (const reject of [...this.#unanswered]) reject(LroError.closed());
    await this.#seat.leave({ soon: false });
  }

  #call(pool, call, limits) {
    if (this.#isClosed) return Promise.reject(LroError.closed());
    this.#seat.take();
    return new Promise((resolve, reject) => {
      this.#unanswered.add(reject);
      const answered = () => this.#unanswered.delete(reject);
      this.#seat.threads[pool].call(call, limits).finally(answered).then(resolve, reject);
    });
  }
}

/** The text of the worker and the core modules by name; those of a file instead of the embedded guest's, if one is given. */
async function codeOf(file) {
  const code = await (compiled ??= compile());
  if (file === "") return code;
  if (!others.has(file)) others.set(file, compileCore(file));
  try {
    return { ...code, modules: { ...code.modules, "lro.core.wasm": await others.get(file) } };
  } catch (error) {
    others.delete(file);
    throw error;
  }
}

/** What the build has made: a module, so that a bundler takes it along. No file is looked up beside it. */
async function compile() {
  try {
    const { worker, modules } = await import("../component/embedded.js");
    const load = async ([name, packed]) => [name, await WebAssembly.compile(await unpacked(packed))];
    const compiled = await Promise.all(Object.entries(modules).map(load));
    return { worker: String(await unpacked(worker)), modules: Object.fromEntries(compiled) };
  } catch (error) {
    // Another try may find what is missing now.
    compiled = undefined;
    const hint =
      "in a clone of the repository, run `npm run build` first; a bundler has to take `component/embedded.js` along, or to leave `lro-component` external";
    throw new LroError({ case: "unusable", message: `cannot load the component: ${error.message}`, hint }, { cause: error });
  }
}

function unpacked(packed) {
  return promisify(brotliDecompress)(Buffer.from(packed, "base64"));
}
