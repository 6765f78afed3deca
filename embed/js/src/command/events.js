// Where events go: to a file as JSON Lines, or to standard error, never among the results.

import { appendFileSync } from "node:fs";

import { reason } from "./failure.js";
import { counted, remark } from "./output.js";

/** Events of every offload: on standard error they would hide what went wrong. */
const ROUTINE = ["LargeResultDetected", "OffloadWritten"];

const FILE_EXPIRED = "OffloadFileExpired";

export class Events {
  #file;

  constructor(file) {
    this.#file = file;
  }

  /** Reports events; those that a file cannot take go to standard error. */
  report(events) {
    if (!this.#areInFile(events)) events.forEach(told);
  }

  /** The same where deleted files are a matter of course: on standard error they are only counted. */
  reportCounted(events) {
    if (this.#areInFile(events)) return;
    const expired = events.filter(({ name }) => name === FILE_EXPIRED).length;
    events.filter(({ name }) => name !== FILE_EXPIRED).forEach(told);
    if (expired > 0) remark(`deleted ${counted(expired, "expired file")}, older than their time`);
  }

  /** The events that a dry run would have had, as such: a log must not say that files are gone. */
  reportDryRun(events) {
    this.report(events.map((event) => ({ ...event, message: `would delete ${event.message}` })));
  }

  #areInFile(events) {
    if (this.#file === undefined || events.length === 0) return events.length === 0;
    try {
      appendFileSync(this.#file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
      return true;
    } catch (error) {
      remark(`cannot write events to \`${this.#file}\`: ${reason(error)}`);
      return false;
    }
  }
}

function told({ name, message }) {
  if (!ROUTINE.includes(name)) remark(`${name}: ${message}`);
}
