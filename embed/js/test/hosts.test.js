// What every host computes or says for itself is the same in this one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { withheld, withheldResult } from "../src/answers.js";
import { LroError } from "../src/error.js";
import { CLEANING_MS, SHORT_MS, messageTime, offloadingTime, readingTime, truncatingTime } from "../src/limits.js";
import { shared } from "./shared.js";

const { limits, failed } = JSON.parse(readFileSync(shared("hosts.json"), "utf8"));

const TIMES = {
  extraction: readingTime,
  offloading: offloadingTime,
  offloading_message: messageTime,
  truncating: truncatingTime,
  cleaning: () => CLEANING_MS,
  resolving: () => SHORT_MS,
};

// The memory of each call is the component's own, 1 GiB: it is set when the package is built.
for (const [call, rows] of Object.entries(limits)) {
  test(`the time of ${call}`, () => {
    for (const { bytes, milliseconds } of rows) assert.equal(TIMES[call](bytes), milliseconds, `${bytes} bytes`);
  });
}

test("what is withheld", () => {
  const error = new LroError({ case: "other", message: failed.message });
  const [result, toolResult] = [withheld(error), withheldResult(error)];
  assert.deepEqual(JSON.parse(result.text), failed.result);
  assert.deepEqual(JSON.parse(toolResult.message), failed.tool_result);
  assert.deepEqual([...result.events, ...toolResult.events], [failed.event, failed.event]);
});
