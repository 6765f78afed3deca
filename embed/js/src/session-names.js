// The names of sessions: each is that of the folder with its files.

import { LroError } from "./error.js";
import { kindOf } from "./json-form.js";

/** The component's rule. */
const NAME = /^(?!(?:aux|con|nul|prn|com\d|lpt\d)$)[a-z0-9_-]{1,64}$/i;

/** A longer one is not repeated in a message. */
const MOST_SHOWN = 100;

export function isSessionName(name) {
  return typeof name === "string" && NAME.test(name);
}

/** The name itself. Without one, a cleanup means the whole directory, so a session never goes without. */
export function sessionName(name, operation) {
  if (isSessionName(name)) return name;
  throw notAName(`cannot ${operation} the session: its name ${reason(name)}`);
}

/** The error for what is not the name of a session. */
export function notAName(message) {
  const hint = "give 1 to 64 characters of A-Z, a-z, 0-9, _ and -, and no name of a device such as CON";
  return new LroError({ case: "invalid-argument", message, hint });
}

function reason(name) {
  if (typeof name !== "string") return `must be text, not ${kindOf(name)}`;
  return name.length > MOST_SHOWN ? `has ${name.length} characters` : `${JSON.stringify(name)} is not a valid folder name`;
}
