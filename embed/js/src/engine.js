// The component's code, compiled once in a process, and the threads that run it, which all `Lro` objects share.

import { readFile, readdir } from "node:fs/promises";

import { LroError } from "./error.js";
import { READING_THREADS, TRUNCATING_THREADS, WRITING_THREADS } from "./limits.js";
import { Pool } from "./pool.js";

/** What the build has made; how many core modules jco makes of a component is its own affair. */
const COMPONENT = new URL("../component/", import.meta.url);

/** Milliseconds that threads wait for the next user: a server that is made for each request finds them warm. */
const LINGER_MS = 5_000;

/** The pools of threads, and how many users they have. */
class Threads {
  #pools;
  #users = 0;
  #ending;

  constructor(modules) {
    this.writing = new Pool(modules, WRITING_THREADS);
    this.reading = new Pool(modules, READING_THREADS);
    this.truncating = new Pool(modules, TRUNCATING_THREADS);
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

let compiled;
let shared;

/** One user of the threads. */
export class Engine {
  #threads;
  #isIn = false;
  #isClosed = false;
  #unanswered = new Set();

  /** `ownThreads`: not those that the process shares. */
  static async load({ ownThreads }) {
    const modules = await (compiled ??= compile());
    return new Engine(ownThreads ? new Threads(modules) : (shared ??= new Threads(modules)));
  }

  constructor(threads) {
    this.#threads = threads;
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
    await this.#leave({ soon: true });
  }

  /** Ends the threads, unless somebody else uses them. Calls that have not been answered fail. */
  async close() {
    this.#isClosed = true;
    for (const reject of [...this.#unanswered]) reject(LroError.closed());
    await this.#leave({ soon: false });
  }

  #call(pool, call, limits) {
    if (this.#isClosed) return Promise.reject(LroError.closed());
    this.#enter();
    return new Promise((resolve, reject) => {
      this.#unanswered.add(reject);
      const answered = () => this.#unanswered.delete(reject);
      this.#threads[pool].call(call, limits).finally(answered).then(resolve, reject);
    });
  }

  #enter() {
    if (this.#isIn) return;
    this.#isIn = true;
    this.#threads.enter();
  }

  async #leave(when) {
    if (!this.#isIn) return;
    this.#isIn = false;
    await this.#threads.leave(when);
  }
}

async function compile() {
  const load = async (name) => [name, await WebAssembly.compile(await readFile(new URL(name, COMPONENT)))];
  try {
    const names = (await readdir(COMPONENT)).filter((name) => name.endsWith(".wasm"));
    return Object.fromEntries(await Promise.all(names.map(load)));
  } catch (error) {
    // Another try may find what is missing now.
    compiled = undefined;
    const hint = "in a clone of the repository, run `npm run build` first; a bundler has to leave `lro-component` external";
    throw new LroError({ code: "unusable", message: `cannot load the component: ${error.message}`, hint }, { cause: error });
  }
}
