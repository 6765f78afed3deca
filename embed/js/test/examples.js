// The examples of the README.

import { readFileSync } from "node:fs";

const README = new URL("../README.md", import.meta.url);

/** The code of each block of JavaScript, in order. */
export function examples() {
  return [...readFileSync(README, "utf8").matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
}
