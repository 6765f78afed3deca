// A thread that answers calls one after the other. It is started by the first call, ended by one that overruns, and then
// started again by the next.

import { Worker } from "node:worker_threads";

import { LroError } from "./error.js";

export class Lane {
  #modules;
  #worker;
  #waiting = [];
  #current;
  #closed = false;

  /** `modules`: the compiled core modules by name. */
  constructor(modules) {
    this.#modules = modules;
  }

  /** The answer of a call, at the latest after `milliseconds` from its start, if that is given. */
  call(call, { operation, milliseconds }) {
    if (this.#closed) return Promise.reject(LroError.closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, operation, milliseconds, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread, and what it has not answered. */
  async close() {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(LroError.closed());
    this.#end(LroError.closed());
    await this.#worker?.terminate();
  }

  #next() {
    if (this.#current || this.#waiting.length === 0) return;
    const current = (this.#current = this.#waiting.shift());
    this.#worker ??= this.#start();
    // An idle thread does not keep the process.
    this.#worker.ref();
    this.#worker.postMessage(current.call);
    if (current.milliseconds !== undefined) {
      current.timer = setTimeout(() => this.#overrun(), current.milliseconds);
    }
  }

  #start() {
    const options = { workerData: { modules: this.#modules }, env: {}, name: "lro" };
    const worker = new Worker(new URL("./worker.js", import.meta.url), options);
    worker.on("message", (answer) => {
      // Nobody waits for an answer that arrives while the thread is being ended.
      if (worker === this.#worker && this.#current) this.#answered(answer);
    });
    worker.on("error", (error) => this.#lost(worker, error));
    worker.on("exit", () => this.#lost(worker, new Error("its thread ended")));
    return worker;
  }

  #answered({ value, failure, trap }) {
    const { operation, resolve } = this.#current;
    if (failure) return this.#end(LroError.of(failure));
    if (trap) return this.#end(LroError.trapped(operation, trap));
    this.#settle(() => resolve(value));
  }

  #overrun() {
    const worker = this.#worker;
    const { operation, milliseconds } = this.#current;
    this.#worker = undefined;
    void worker.terminate();
    this.#end(LroError.tooSlow(operation, milliseconds));
  }

  /** A thread that ended by itself. */
  #lost(worker, error) {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const operation = this.#current?.operation ?? "the call";
    this.#end(new LroError({ code: "other", message: `${operation} stopped: ${error.message}` }, { cause: error }));
  }

  #end(error) {
    const reject = this.#current?.reject;
    if (reject) this.#settle(() => reject(error));
  }

  #settle(tell) {
    clearTimeout(this.#current.timer);
    this.#current = undefined;
    this.#worker?.unref();
    tell();
    this.#next();
  }
}
