// What is known of coding agents: events of their hooks, and their configurations. It is the library of the native command
// (`clients/` of the repository), as a module of WebAssembly that reaches nothing outside.

import { brotliDecompressSync } from "node:zlib";

import { LroError } from "./error.js";

let loaded;

/** The answer of a function to texts. An error that it tells is thrown; a `problem` is thrown as it is. */
export async function ask(name, ...texts) {
  const { exports } = await (loaded ??= load());
  const parts = [name, ...texts].map((text) => Buffer.from(text));
  const head = Buffer.from(`${JSON.stringify(parts.map((part) => part.length))}\n`);
  const input = Buffer.concat([head, ...parts]);
  const room = exports.room(input.length) >>> 0;
  new Uint8Array(exports.memory.buffer, room, input.length).set(input);
  const length = exports.call() >>> 0;
  const answer = Buffer.from(exports.memory.buffer, exports.answer() >>> 0, length).toString();
  const { ok, error, problem } = JSON.parse(answer);
  if (error !== undefined) throw new LroError({ case: "other", message: error });
  if (problem !== undefined) throw new LroError({ hint: "", status: problem.case === "usage" ? 2 : 1, ...problem });
  return ok;
}

async function load() {
  const { clients } = await import("../component/clients.js");
  const { instance } = await WebAssembly.instantiate(brotliDecompressSync(Buffer.from(clients, "base64")));
  return instance;
}
