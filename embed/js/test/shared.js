// Where the cases and fixtures of the repository are, and directories for tests.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// The tests may run in a copy of this folder: the variable says where the repository's `tests` are then.
const TESTS = process.env.LRO_TESTS ?? fileURLToPath(new URL("../../../tests", import.meta.url));

/** The path of something in the repository's `tests`. */
export const shared = (name) => join(TESTS, name);

/** A directory that is gone when the process ends. */
shared.temporary = () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "lro-js-")));
  temporary.push(directory);
  return directory;
};

const temporary = [];
process.on("exit", () => temporary.forEach((directory) => rmSync(directory, { recursive: true, force: true })));
