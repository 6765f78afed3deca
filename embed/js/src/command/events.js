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

  /** The same of a dry run: what would be deleted is a remark, and no event that says that it was. */
  reportDryRun(events) {
    this.report(events.filter(({ name }) => name !== FILE_EXPIRED));
    events.filter(({ name }) => name === FILE_EXPIRED).forEach(({ message }) => remark(`would delete ${message}`));
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
