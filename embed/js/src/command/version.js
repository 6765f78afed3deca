// The version of the package, which is that of everything in the repository.

import { readFileSync } from "node:fs";

export const VERSION = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

/** The line of `--version`: it says which of the two commands this is. */
export function version() {
  return `lro ${VERSION} (JavaScript, node ${process.versions.node})\n`;
}
