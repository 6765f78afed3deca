// What happens to the files of sessions at their end (GATE-18).

import { LroError } from "./error.js";

/** A session that has been given a name is one that is resumed. */
export function isDeletedAtEnd(session, end = session === undefined ? "delete" : "keep") {
  if (["delete", "keep"].includes(end)) return end === "delete";
  throw new LroError({ case: "invalid-argument", message: 'sessionEnd is "delete" or "keep"' });
}

/** Those whose sessions have files. Over standard input and output the MCP SDK does not say when a conversation ends. */
const ending = new Set();
let isWatched = false;

/** Calls `end` of an object when the process ends by itself. */
export function endAtExit(one) {
  ending.add(one);
  if (isWatched) return;
  isWatched = true;
  process.on("beforeExit", () => ending.forEach((each) => void each.end()));
}

/** Nothing is left to do for it. */
export function hasEnded(one) {
  ending.delete(one);
}
