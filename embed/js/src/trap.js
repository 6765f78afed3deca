// Why a call of the component ended in a trap.

import { MOST_PAGES } from "./limits.js";
import { lastWords } from "./wasi.js";

/** What kind of trap it was; V8 tells them apart by their words only. */
export function trap(error) {
  const message = `${error.message} ${lastWords()}`.trim();
  const memoryMib = MOST_PAGES / 16;
  if (/memory allocation of|out of memory|allocation failed/i.test(message)) return { kind: "memory", message, memoryMib };
  // Rust's stack lies at the bottom of memory and ends at its first byte; V8 has a stack of its own.
  if (/out of bounds|call stack/i.test(message)) return { kind: "stack", message };
  return { kind: "other", message };
}
