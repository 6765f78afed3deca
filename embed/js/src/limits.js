// How long a call may run and how much memory it may hold.

/**
 * Pages of 64 KiB that the component's memory may have, 1 GiB in all; set in the core module when it is built. An offload
 * of the longest string that V8 can hold needs less, and a filter that wants more ends with `limit-reached`.
 */
export const MOST_PAGES = 16_384;

/** An instance whose memory has grown beyond this is given back after its call: memory of WebAssembly never shrinks. */
export const KEPT_BYTES = 64 << 20;

/** Milliseconds for a call that reads `bytes`: 20 MB a second is ten times slower than a standard recipe runs. */
export function readingTime(bytes) {
  return 2_000 + Math.ceil(bytes / 20_000);
}
