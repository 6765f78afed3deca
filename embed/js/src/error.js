// Why a call failed.

import { inCamelCase } from "./names.js";

/** Cases whose messages name options. */
const ABOUT_OPTIONS = ["invalid-argument", "limit-reached"];

/** The error of every call: `case` is the contract's, and the texts are for people and models. */
export class LroError extends Error {
  constructor({ case: name, message, hint = "", ...facts }, options) {
    super(message, options);
    this.name = "LroError";
    this.case = name;
    this.hint = hint;
    // `known` of an invalid query; `limit` and `value` of a limit.
    Object.assign(this, facts);
  }

  /** From a case of the contract's variant `error`. */
  static of({ tag, val }) {
    if (typeof val === "string") return new LroError({ case: tag, message: val });
    if (!ABOUT_OPTIONS.includes(tag)) return new LroError({ case: tag, ...val });
    return new LroError({ case: tag, ...val, message: inCamelCase(val.message), hint: inCamelCase(val.hint) });
  }

  /** `operation` (a noun) ran into its time limit. */
  static tooSlow(operation, milliseconds) {
    return new LroError({
      case: "limit-reached",
      message: `${operation} stopped: it ran longer than ${milliseconds} ms`,
      hint: "look at less data, or raise the time limit (`timeoutMs`, for offloads `offloadTimeoutMs`)",
      limit: "timeout_ms",
      value: milliseconds,
    });
  }

  /** `operation` (a noun) ended in a trap, of the kind that the worker saw. */
  static trapped(operation, { kind, message, memoryMib }) {
    if (kind === "memory") {
      return new LroError({
        case: "limit-reached",
        message: `${operation} stopped: it needs more memory than the component may have (${memoryMib} MiB)`,
        hint: "collect less at once",
        limit: "max_memory_mib",
        value: memoryMib,
      });
    }
    if (kind === "stack") {
      return new LroError({
        case: "limit-reached",
        message: `${operation} stopped: its calls nest too deep for the stack`,
        hint: "the filter probably recurses without end: give its recursion a case that ends it",
        limit: "max_stack_bytes",
        value: 1 << 20,
      });
    }
    return new LroError({ case: "other", message: `${operation} stopped: ${message}` });
  }

  static closed() {
    return new LroError({ case: "other", message: "cannot call the component: it has been closed", hint: "open another one" });
  }
}
