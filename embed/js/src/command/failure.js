// How a command fails, as a person and as a program reads it.

import { remark, remarkLine } from "./output.js";
import { withFlags } from "./with-flags.js";

/** How to get what this package does not have. */
export const HOW = "the native command `lro` has it: see the README of the project for how to install it";

/** A failure that is not the component's. */
export class Failure extends Error {
  constructor(name, message, { hint = "", status = 1 } = {}) {
    super(message);
    this.case = name;
    this.hint = hint;
    this.status = status;
  }

  /** The command line is not valid. */
  static usage(message) {
    return new Failure("usage", message, { status: 2 });
  }

  /** A file cannot be used. `action`: a verb and its object. */
  static file(action, error) {
    return new Failure("io", `cannot ${action}: ${reason(error)}`);
  }

  /** A client's configuration cannot be changed. */
  static configuration(message, hint) {
    return new Failure("configuration", message, { hint });
  }
}

/** Prints one line, or one JSON object, on standard error. Returns the exit status: 2 for a wrong command line. */
export function report(error, asJson) {
  // Nobody reads any more, which is not an error.
  if (error.code === "EPIPE") return 0;
  if (typeof error.case !== "string") throw error;
  const isAboutOptions = ABOUT_OPTIONS.includes(error.case);
  const [message, hint] = [error.message, error.hint ?? ""].map((text) => (isAboutOptions ? asTyped(text) : text));
  if (asJson) remarkLine(JSON.stringify({ case: error.case, message: oneLine(message), hint }));
  else remark(textOf({ message, hint: withFlags(hint) }));
  return error.status ?? 1;
}

/** Cases whose messages name options of the package. */
const ABOUT_OPTIONS = ["invalid-argument", "limit-reached", "io"];

/** Where something is in the JSON of a request, which nobody has typed. */
const PLACE = /^(cannot read the \w+ request: .*) at line \d+ column \d+$/s;

/** What the package says to programs in JavaScript, as people type it. */
function asTyped(text) {
  const limits = text.replace(PLACE, "$1").replace("(`timeoutMs`, for offloads `offloadTimeoutMs`)", "(`--timeout` of the command)");
  const snake = limits.replace(/`[a-z]+(?:[A-Z][a-z]+)+`/g, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return snake.replace("pass an outputDir that this process can write to", "name a directory that you can write to (`--output-dir` of the command)");
}

/** One line: the message, and the hint in parentheses. */
export function textOf({ message, hint }) {
  return oneLine(hint ? `${message} (${hint.replace(/\.$/, "")})` : message);
}

/** A message may quote a filter with line breaks. */
function oneLine(text) {
  return text.split(/[\n\r]/).map((line) => line.trim()).filter(Boolean).join(" ");
}

/** What the system says, without the name of the call that node puts around it. */
export function reason(error) {
  const [, told] = /^[A-Z0-9]+: (.*?), \w+/.exec(error.message ?? "") ?? [];
  return told ?? error.message ?? String(error);
}
