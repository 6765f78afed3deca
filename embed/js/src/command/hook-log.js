// The log: what goes wrong in a hook is nobody's answer, so it goes to a file and never into the conversation.

import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** A log that is longer becomes the older one, of which there is one. */
const MOST_BYTES = 256 * 1024;

/** A line that is longer is cut: it may quote what others have written. */
const MOST_LINE_CHARACTERS = 2000;

/** Appends a line. A log that cannot be written is not worth a failure. */
export function append(client, line) {
  try {
    appendTo(folder(), `${new Date().toISOString().replace(/\.\d+/, "")} ${client}: ${line.trimEnd().slice(0, MOST_LINE_CHARACTERS)}\n`);
  } catch {
    // As above.
  }
}

/** The user's folder for the state of programs: `$XDG_STATE_HOME/lro`, or `~/.local/state/lro`. */
function folder() {
  const variable = (name) => (isAbsolute(process.env[name] ?? "") ? process.env[name] : undefined);
  const state = process.platform === "win32" ? variable("LOCALAPPDATA") : (variable("XDG_STATE_HOME") ?? join(variable("HOME"), ".local/state"));
  return join(state, "lro");
}

function appendTo(folder, line) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "hook.log");
  const { size } = lstatSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > MOST_BYTES) renameSync(file, join(folder, "hook.log.1"));
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const descriptor = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    writeSync(descriptor, line);
  } finally {
    closeSync(descriptor);
  }
}
