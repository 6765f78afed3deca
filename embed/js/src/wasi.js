// What the component uses of WASI beside files: a clock, randomness and standard error. No environment, no network. Node and
// browsers have the same of it.

/** More than this of what the component says on standard error is forgotten, the first of it. */
const MOST_WORDS = 2000;

const utf8 = new TextDecoder();

/** What the component has said in this call: Rust says there why it aborts. */
let words = "";

/** What the component has said since this was asked last. */
export function lastWords() {
  const said = words;
  words = "";
  return said;
}

/** `wasi:io/error`. Writing to standard error does not fail, so there is none. */
class IoError {}

/** `wasi:io/streams`, of which standard error is the only one. */
class OutputStream {
  blockingWriteAndFlush(bytes) {
    words = (words + utf8.decode(bytes)).slice(-MOST_WORDS);
  }
}

const stderr = new OutputStream();

function now() {
  const milliseconds = Date.now();
  return { seconds: BigInt(Math.floor(milliseconds / 1000)), nanoseconds: (milliseconds % 1000) * 1_000_000 };
}

export const wasi = {
  "wasi:cli/stderr": { getStderr: () => stderr },
  "wasi:clocks/wall-clock": { now },
  "wasi:io/error": { Error: IoError },
  "wasi:io/streams": { OutputStream },
  "wasi:random/random": { getRandomU64: () => crypto.getRandomValues(new BigUint64Array(1))[0] },
};
