// Threads for calls of one kind. One is enough as long as calls are short; where a call keeps others waiting, they get
// another one.

import { Worker } from "node:worker_threads";

import { LroError } from "./error.js";
import { Lane } from "./lane.js";

/** Milliseconds that a call waits before a thread is started for it, which takes about as long. */
const PATIENCE_MS = 100;

export class Pool {
  #code;
  #most;
  #lanes = [];
  #waiting = [];
  #growing;

  constructor(code, most) {
    this.#code = code;
    this.#most = most;
  }

  get isIdle() {
    return this.#waiting.length === 0 && this.#lanes.every((lane) => lane.isIdle);
  }

  /** The answer of a call. Waiting for a thread does not use up its time. */
  call(call, limits) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, limits, resolve, reject });
      if (this.#lanes.length === 0) this.#grow();
      this.#next();
    });
  }

  /** Ends the threads; the next call starts one again. */
  async end() {
    for (const { reject } of this.#waiting.splice(0)) reject(LroError.closed());
    await Promise.all(this.#lanes.splice(0).map((lane) => lane.end()));
  }

  #next() {
    for (const lane of this.#lanes.filter((lane) => lane.isIdle)) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#run(lane, next);
    }
    if (this.#waiting.length > 0 && this.#lanes.length < this.#most) this.#growing ??= setTimeout(() => this.#grown(), PATIENCE_MS);
  }

  #run(lane, { call, limits, resolve, reject }) {
    lane
      .run(call, limits)
      .then(resolve, reject)
      .finally(() => (this.#waiting.length > 0 ? this.#next() : this.#shrink(lane)));
  }

  #grown() {
    this.#growing = undefined;
    if (this.#waiting.length === 0) return;
    this.#grow();
    this.#next();
  }

  #grow() {
    this.#lanes.push(new Lane(() => thread(this.#code)));
  }

  /** A thread that nobody waits for any more is given back, but for one. */
  #shrink(lane) {
    if (this.#lanes.length < 2 || !lane.isIdle) return;
    this.#lanes = this.#lanes.filter((other) => other !== lane);
    void lane.end();
  }
}

/** Starts a thread: `worker` is its text, and `modules` are the compiled core modules by name. */
function thread({ worker, modules }) {
  return new Worker(worker, { eval: true, workerData: { modules }, env: {}, execArgv: [], name: "lro" });
}
