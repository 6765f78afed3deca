// The subcommands in JavaScript on the native command's cases: the same words on both streams, and the same statuses.

import assert from "node:assert/strict";
import { test } from "node:test";

import { casesOf, isAsExpected, played } from "./golden.js";

const FOLDERS = ["cleanup", "describe", "hook", "list", "read", "rebuild", "search"];

/** Of folders with many cases, some: each line of a case starts a process. */
const SOME = {
  extract: ["criteria", "failed-records", "into", "limit", "missing-directory", "raw", "remarks", "standard-input"],
  offload: ["events", "formatted", "light", "records", "sections", "window"],
};

const cases = [
  ...FOLDERS.flatMap(casesOf),
  ...Object.entries(SOME).flatMap(([folder, names]) => casesOf(folder).filter(({ name }) => names.includes(name.split("/")[1]))),
];
assert.ok(cases.length > 45, `${cases.length} cases`);

for (const { name, ...given } of cases) {
  test(name, () => {
    for (const step of played(given)) assert.ok(isAsExpected(step), JSON.stringify(step, undefined, 2));
  });
}
