// The output directory: made where it is missing, canonical, and what a caller's path means in it.

import { accessSync, closeSync, constants, existsSync, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

import { LroError } from "./error.js";

const PRIVATE = 0o700;

/** The canonical path of a directory that can be written to. */
export function prepare(given) {
  return usable(resolve(given), make);
}

/** The same for the default directory: `lro-UID` below the temporary directory, which nobody else can enter. */
export function prepareDefault() {
  return usable(defaultPath(), makePrivate);
}

/** Makes the directory again, by its canonical path, if somebody has deleted it meanwhile. A write tells what cannot be made. */
export function restore(directory) {
  if (existsSync(directory)) return;
  try {
    (directory === defaultPath() ? makePrivate : make)(directory);
  } catch {
    return;
  }
}

function defaultPath() {
  const user = process.geteuid?.();
  return join(realpathSync(tmpdir()), user === undefined ? "lro" : `lro-${user}`);
}

function usable(path, prepared) {
  try {
    prepared(path);
    const canonical = realpathSync(path);
    if (!statSync(canonical).isDirectory()) throw new Error("it is not a directory");
    accessSync(canonical, constants.R_OK | constants.W_OK | constants.X_OK);
    return canonical;
  } catch (error) {
    throw new LroError(
      {
        case: "io",
        message: `cannot use \`${path}\` as the output directory: ${error.message}`,
        hint: "pass an outputDir that this process can write to",
      },
      { cause: error },
    );
  }
}

/** Makes a directory and those above it. Node's own way does not end below `/proc`. */
function make(path) {
  if (statSync(path, { throwIfNoEntry: false })) return;
  if (dirname(path) !== path) make(dirname(path));
  try {
    mkdirSync(path, { mode: PRIVATE });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (error.code !== "EEXIST") throw error;
  }
}

/** Makes a directory that only this user can enter. Others can write where it lies: what they have put there is refused. */
function makePrivate(path) {
  make(path);
  if (process.platform === "win32") return;
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { uid, mode } = fstatSync(fd);
    if (uid !== process.geteuid()) throw new Error("it belongs to another user");
    if ((mode & 0o777) !== PRIVATE) fchmodSync(fd, PRIVATE);
  } finally {
    closeSync(fd);
  }
}

/** True for the system's temporary directory, which other programs use too. */
export function isShared(directory) {
  return realpathSync(tmpdir()) === directory;
}

/**
 * A file's path as the component should see it: a bare name as it is, anything else absolute. Links in its folder's path
 * are followed if and only if that leads into the directory; the component judges the result.
 */
export function present(directory, file) {
  const isBare = !/[/\\]/.test(file) && file !== "..";
  if (isBare || (isBelow(file) && size(directory, file) > 0)) return file;
  if (file.includes("\0")) return file;
  const path = resolve(file);
  try {
    const followed = join(realpathSync(dirname(path)), basename(path));
    return followed === directory || followed.startsWith(directory + sep) ? followed : path;
  } catch {
    return path;
  }
}

/** A session's file, as an offload answers its name. */
function isBelow(file) {
  return !isAbsolute(file) && file.split(/[/\\]/).every((part) => part !== ".." && part !== "." && part !== "");
}

/** The bytes of a presented file, which the time of a call depends on; 0 when there is none. */
export function size(directory, file) {
  try {
    return lstatSync(resolve(directory, file)).size;
  } catch {
    return sizeMeant(directory, file);
  }
}

/** The size of the largest file that an id or a name without its folder may mean. Which one it is, the component decides. */
function sizeMeant(directory, file) {
  if (file === "" || /[/\\\0]/.test(file)) return 0;
  const stem = file.replace(/\.[^.]*$/, "");
  // The id of an artifact ends with a ULID, and names of files with all of it or with its random part.
  const random = /^art_.*_([0-9A-Za-z]+)$/.exec(file)?.[1].toUpperCase().slice(-16);
  const isMeant = (name) => name.startsWith(stem) || (random !== undefined && name.includes(random));
  const sizes = (folder, entries) =>
    entries.filter((entry) => entry.isFile() && isMeant(entry.name)).map((entry) => sizeOf(join(folder, entry.name)));
  const entries = entriesOf(directory);
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
  const below = folders.flatMap((folder) => sizes(folder, entriesOf(folder)));
  return Math.max(0, ...sizes(directory, entries), ...below);
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function sizeOf(path) {
  try {
    return lstatSync(path).size;
  } catch {
    return 0;
  }
}
