// How long a call may run, how much memory it may hold, and how many run side by side.

/**
 * Pages of 64 KiB that the component's memory may have, 1 GiB in all; set in the core module when it is built. An offload
 * of the longest string that V8 can hold needs less, and a filter that wants more ends with `limit-reached`.
 */
export const MOST_PAGES = 16_384;

/** An instance whose memory has grown beyond this is given back after its call: memory of WebAssembly never shrinks. */
export const KEPT_BYTES = 64 << 20;

/** Threads for calls that may write: three results that take all of their time leave a fourth one waiting. */
export const WRITING_THREADS = 3;

/** Threads for calls that only read. Their limit is shorter, and each may hold 1 GiB. */
export const READING_THREADS = 2;

/** Threads for answers to offloads that were stopped; these take milliseconds. */
export const TRUNCATING_THREADS = 1;

/** The longest time of timers; a longer one would end at once. */
export const MOST_MS = 2 ** 31 - 1;

/** Milliseconds for settings and lists of tools, which are a few lines of text. */
export const SHORT_MS = 10_000;

/** Milliseconds for a cleanup; enough for a hundred thousand files. */
export const CLEANING_MS = 60_000;

// 20 MB a second is ten times slower than a standard recipe runs, or an offload of plain records.
const perByte = (bytes) => Math.ceil(bytes / 20_000);

/** Milliseconds for a call that reads `bytes`. */
export function readingTime(bytes) {
  return 2_000 + perByte(bytes);
}

/** Milliseconds for an offload of `bytes`. */
export function offloadingTime(bytes) {
  return 10_000 + perByte(bytes);
}

/** Milliseconds for an MCP message of `bytes`, which holds its texts with escapes. */
export function messageTime(bytes) {
  return offloadingTime(2 * bytes);
}

/** Milliseconds for the truncated answer to `bytes` whose offload was stopped. Most of it is the start of a thread. */
export function truncatingTime(bytes) {
  return 5_000 + perByte(bytes);
}
