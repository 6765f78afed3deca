// Reads and writes configurations: a file is replaced as a whole, and several files all or none.

import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import {
  chownSync, closeSync, existsSync, fchmodSync, fsyncSync, lstatSync, mkdirSync, openSync, readFileSync, readdirSync, readlinkSync,
  realpathSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { Failure, reason } from "./failure.js";

/** As many links as a system follows. */
const MOST_LINKS = 40;

/** What the names of our files beside a configuration begin with after its own. */
const OURS = [".lro-", ".before-lro-"];

const OWNER_CAN_WRITE = 0o222;

/** What is at the place of a configuration, as the library reads it. */
export function look(path) {
  try {
    const text = read(path);
    const seen = { exists: existsSync(path), canonical: canonical(path), text, beside: beside(path), missing_folders: missingFolders(path) };
    return { seen };
  } catch (error) {
    const { message, hint } = error;
    return { problem: error.case === "configuration" ? { case: "configuration", message, hint } : { case: "io", message } };
  }
}

/** Carries out all that is prepared, or nothing of it. */
export function carryOut({ folders, steps, gone }) {
  createFolders(folders);
  try {
    take(steps);
  } catch (error) {
    removeFolders(folders);
    throw error;
  }
  removeFolders(gone);
}

/** The text of a file, or null if there is none. */
function read(path) {
  const failed = (error) => Failure.file(`read \`${path}\``, error);
  let bytes;
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (!status) return null;
    // A pipe would never end.
    if (!status.isFile()) throw new Error("it is not a file");
    bytes = readFileSync(path);
  } catch (error) {
    throw failed(error);
  }
  if (isUtf8(bytes)) return bytes.toString();
  const lines = bytes.toString("latin1").split("\n");
  const line = lines.findIndex((text) => !isUtf8(Buffer.from(text, "latin1"))) + 1;
  throw Failure.configuration(`cannot read \`${path}\`: line ${line} is not UTF-8`, "convert the file to UTF-8; nothing was changed");
}

function canonical(path) {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Our files beside a configuration, by their names, with their texts. */
function beside(path) {
  let names = [];
  try {
    names = readdirSync(dirname(path));
  } catch {
    // A folder that is not there has none.
  }
  const name = basename(path);
  const ours = names.filter((other) => other.startsWith(name) && OURS.some((end) => other.slice(name.length).startsWith(end)));
  return Object.fromEntries(ours.map((other) => [other, read(join(dirname(path), other))]));
}

/** The folders above a file that are missing, outermost first. */
function missingFolders(path) {
  const missing = [];
  for (let folder = dirname(path); !lstatSync(folder, { throwIfNoEntry: false }) && dirname(folder) !== folder; folder = dirname(folder)) missing.unshift(folder);
  return missing;
}

function createFolders(folders) {
  folders.forEach((folder, number) => {
    try {
      mkdirSync(folder);
    } catch (error) {
      removeFolders(folders.slice(0, number));
      throw Failure.file(`create \`${folder}\``, error);
    }
  });
}

/** Removes folders that are empty now, the innermost first. */
function removeFolders(folders) {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      // One that has something in it stays.
    }
  }
}

/** Takes all steps, or none: what was done before one fails is taken back. */
function take(steps) {
  const done = [];
  for (const step of steps) {
    try {
      if (read(step.path) !== step.before) throw new Error("another program has changed it meanwhile; try again");
      write(step.text === null && step.follows ? targetOf(step.path) : step.path, step.text, step.like);
    } catch (error) {
      const verb = step.text === null ? "delete" : "write";
      throw Failure.configuration(`cannot ${verb} \`${step.path}\`: ${reason(error)}`, takenBack(done));
    }
    done.push(step);
  }
}

function takenBack(done) {
  const failed = done.reverse().filter(({ path, before, like }) => {
    try {
      // A file that was created is at the end of its links.
      write(before === null ? targetOf(path) : path, before, like);
      return false;
    } catch {
      return true;
    }
  });
  if (failed.length === 0) return "nothing was changed";
  return `these could not be restored, their copies are beside them: ${failed.map(({ path }) => `\`${path}\``).join(", ")}`;
}

/** Writes a file as a whole: to a new file, which then takes its place, with its mode and owner. A link is followed. */
function write(path, text, like) {
  if (text === null) return rmSync(path, { force: true });
  const target = targetOf(path);
  const existing = statSync(target, { throwIfNoEntry: false });
  if (existing && (existing.mode & OWNER_CAN_WRITE) === 0) throw new Error("the file is read-only");
  const model = existing ?? (like === null ? undefined : statSync(like, { throwIfNoEntry: false }));
  const temporary = join(dirname(target), `.lro-${randomBytes(6).toString("hex")}`);
  try {
    fill(temporary, text, model);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function fill(temporary, text, model) {
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    if (model) {
      adopt(temporary, model);
      fchmodSync(descriptor, model.mode & 0o7777);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Only an administrator can give a file away; others own it already. */
function adopt(path, { uid, gid }) {
  try {
    chownSync(path, uid, gid);
  } catch {
    // As above.
  }
}

/** The file that a path means, through links, also if it is not there yet. */
function targetOf(path) {
  let target = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return target;
    target = resolve(dirname(target), readlinkSync(target));
  }
  throw new Error("too many links");
}
