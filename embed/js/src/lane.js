// A thread that answers one call at a time. It is started by the first call, ended by one that overruns, and then started
// again by the next.

import { LroError } from "./error.js";
import { MOST_MS } from "./limits.js";
import { packed, unpacked } from "./texts.js";

/** Milliseconds that a thread may take to start, beside the time of its first call: a busy machine takes seconds. */
const STARTING_MS = 10_000;

export class Lane {
  #begin;
  #worker;
  #isReady = false;
  #current;

  /** `begin` starts a thread: what it returns has the methods of node's workers that are used here. */
  constructor(begin) {
    this.#begin = begin;
  }

  get isIdle() {
    return this.#current === undefined;
  }

  /** The answer of a call, at the latest after `milliseconds`. The lane must be idle. */
  run(call, { operation, milliseconds }) {
    return new Promise((resolve, reject) => {
      const message = packed(call);
      this.#worker ??= this.#start();
      this.#current = { operation, milliseconds, resolve, reject };
      // An idle thread does not keep the process.
      this.#worker.ref();
      this.#limit(this.#isReady ? milliseconds : milliseconds + STARTING_MS);
      this.#worker.postMessage(...message);
    });
  }

  /** Ends the thread, and the call that it has not answered. */
  async end() {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail(LroError.closed());
    await worker?.terminate();
  }

  #limit(milliseconds) {
    clearTimeout(this.#current.timer);
    this.#current.timer = setTimeout(() => this.#overrun(), Math.min(milliseconds, MOST_MS));
  }

  #start() {
    this.#isReady = false;
    const worker = this.#begin();
    worker.on("message", (answer) => {
      // Nobody waits for an answer that arrives while the thread is being ended.
      if (worker === this.#worker && this.#current) this.#answered(unpacked(answer));
    });
    worker.on("error", (error) => this.#lost(worker, error));
    worker.on("exit", () => this.#lost(worker, new Error("its thread ended")));
    return worker;
  }

  #answered({ isReady, value, failure, trap }) {
    const { operation, milliseconds, resolve } = this.#current;
    if (isReady) {
      this.#isReady = true;
      return this.#limit(milliseconds);
    }
    if (failure) return this.#fail(LroError.of(failure));
    if (trap) return this.#fail(LroError.trapped(operation, trap));
    this.#settle(() => resolve(value));
  }

  #overrun() {
    const worker = this.#worker;
    const { operation, milliseconds } = this.#current;
    this.#worker = undefined;
    void worker.terminate();
    this.#fail(LroError.tooSlow(operation, milliseconds));
  }

  /** A thread that ended by itself. */
  #lost(worker, error) {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const operation = this.#current?.operation ?? "the call";
    this.#fail(new LroError({ case: "other", message: `${operation} stopped: ${error.message}` }, { cause: error }));
  }

  #fail(error) {
    const reject = this.#current?.reject;
    if (reject) this.#settle(() => reject(error));
  }

  #settle(tell) {
    clearTimeout(this.#current.timer);
    this.#current = undefined;
    this.#worker?.unref();
    tell();
  }
}
