// The output directory: made where it is missing, canonical, and what a caller's path means in it.

import { accessSync, constants, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

import { LroError } from "./error.js";

/** The canonical path of a directory that can be written to. */
export function prepare(given) {
  const path = resolve(given);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const canonical = realpathSync(path);
    if (!statSync(canonical).isDirectory()) throw new Error("it is not a directory");
    accessSync(canonical, constants.R_OK | constants.W_OK | constants.X_OK);
    return canonical;
  } catch (error) {
    throw new LroError(
      {
        code: "io",
        message: `cannot use \`${path}\` as the output directory: ${error.message}`,
        hint: "pass an outputDir that this process can write to",
      },
      { cause: error },
    );
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
    return 0;
  }
}
