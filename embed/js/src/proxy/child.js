// A server that runs as a child process: starts it, talks to it over its standard input and output, and ends it.

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { Failure } from "../command/failure.js";

/** Milliseconds after its end in which nothing must come any more: others that it has started may hold its output open. */
const SILENCE_MS = 50;

const isWindows = process.platform === "win32";

/**
 * The environment of a server. `npx --package=FILE lro-component proxy -- npx SERVER` would hand its package and its
 * command to the second `npx`, which would take the name of the server for a command of that package.
 */
function ownEnvironment() {
  const { npm_config_package: _package, npm_config_call: _call, ...rest } = process.env;
  return rest;
}

export class Server {
  #child;
  #isOutputOver = false;
  #quiet;

  /** The exit status, 128 and the number of the signal if one ended it; undefined while it runs. */
  status;
  onLine;
  onOutputEnd;
  onExit;

  /** Starts the command. Its standard error is ours. */
  static start([program, ...words]) {
    return new Promise((resolve, reject) => {
      // In a group of its own, signals reach whatever it starts: `npx` does not pass them on.
      const options = { stdio: ["pipe", "pipe", "inherit"], detached: !isWindows, windowsHide: true, env: ownEnvironment() };
      // `npx` and its like are scripts on Windows, which only a shell starts.
      const child = isWindows ? spawn(quoted(program), words.map(quoted), { ...options, shell: true }) : spawn(program, words, options);
      child.once("error", (error) => reject(Failure.file(`start \`${program}\``, error)));
      child.once("spawn", () => resolve(new Server(child)));
    });
  }

  constructor(child) {
    this.#child = child;
    // One that has gone is noticed by the end of its output.
    child.stdin.on("error", () => {});
    child.once("exit", (status, signal) => {
      this.status = status ?? 128 + constants.signals[signal];
      this.#endWhenQuiet();
      this.onExit?.();
    });
  }

  /** Hands what it says to `take`, until its output has ended. */
  listen(take, ended) {
    this.onOutputEnd = ended;
    this.#child.stdout.on("data", (chunk) => {
      if (this.status !== undefined) this.#endWhenQuiet();
      take(chunk);
    });
    this.#child.stdout.once("end", () => this.#outputOver());
    this.#child.stdout.once("error", () => this.#outputOver());
  }

  /** Returns false while the server does not read; `onReady` is called when it does. */
  send(line, onReady) {
    if (!this.#child.stdin.writable) return true;
    const takesMore = this.#child.stdin.write(line);
    if (!takesMore) this.#child.stdin.once("drain", onReady);
    return takesMore;
  }

  /** Ends its input. */
  close() {
    this.#child.stdin.end();
  }

  pause() {
    this.#child.stdout.pause();
    clearTimeout(this.#quiet);
  }

  resume() {
    this.#child.stdout.resume();
    if (this.status !== undefined) this.#endWhenQuiet();
  }

  /** Sends a signal to the process and those of its group. */
  signal(signal) {
    if (isWindows) return void (this.status === undefined && signal === "SIGKILL" && this.#child.kill());
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // All of them have ended.
    }
  }

  #endWhenQuiet() {
    clearTimeout(this.#quiet);
    if (!this.#isOutputOver && !this.#child.stdout.isPaused()) this.#quiet = setTimeout(() => this.#outputOver(), SILENCE_MS);
  }

  #outputOver() {
    clearTimeout(this.#quiet);
    if (this.#isOutputOver) return;
    this.#isOutputOver = true;
    this.onOutputEnd();
  }
}

/** A word as the shell of Windows reads it. */
function quoted(word) {
  return /^[\w@.:\\/=+-]+$/.test(word) ? word : `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}
