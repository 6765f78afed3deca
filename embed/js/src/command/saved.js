// Reads a file that an event names. The name may come from the text of a server, so little is believed: the file is in the
// client's own folder for such files and nowhere else, and no link leads out of it. Whether it is what the event says, the
// library knows.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

import { Failure, reason } from "./failure.js";

/** More is left to the client, which has said where it is. */
const MOST_BYTES = 64 << 20;

/** The text of the file, and its bytes. */
export function readSaved({ path, place }) {
  try {
    const folder = realpathSync(folderOf(place));
    const parent = realpathSync(dirname(path));
    if (parent !== folder || !isAbsolute(path)) throw new Error("it is not in the client's folder for results");
    const bytes = contentOf(join(folder, basename(path)));
    return { bytes: bytes.length, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    throw new Failure("other", `\`${path}\` is not followed: ${reason(error)}`);
  }
}

/** The content of a regular file of this user, never through a link. */
function contentOf(path) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  if (O_NOFOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw new Error("it is a link");
  // A pipe would wait for its writer.
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error("it is not a regular file");
    if (process.geteuid && status.uid !== process.geteuid()) throw new Error("it belongs to another user");
    if (status.size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The folder, with what the environment says about it. */
function folderOf({ folder, "below-data": below }) {
  if (folder !== undefined) return folder;
  const variable = (name) => (isAbsolute(process.env[name] ?? "") ? process.env[name] : undefined);
  const home = variable(process.platform === "win32" ? "USERPROFILE" : "HOME");
  const data = variable("XDG_DATA_HOME") ?? (home && join(home, ".local/share"));
  if (data === undefined) throw new Error("its folder is not known");
  return join(data, below);
}
