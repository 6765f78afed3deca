// All cases of the repository, on this package.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, test } from "node:test";

import { Disks } from "./conformance/disks.js";
import { play } from "./conformance/scene.js";
import { shared } from "./shared.js";

const cases = readdirSync(shared("cases"), { recursive: true })
  .filter((name) => name.endsWith(".json") && !name.startsWith("case.schema"))
  .map((name) => ({ name: name.replaceAll("\\", "/").slice(0, -".json".length), ...JSON.parse(readFileSync(shared(`cases/${name}`))) }))
  .sort((one, other) => (one.name < other.name ? -1 : 1));

/** What this package cannot show, by case. A case that passes all the same fails the run, so the list stays true. */
const gaps = new Map(JSON.parse(readFileSync(new URL("known-gaps.json", import.meta.url))).map(({ case: name, reason }) => [name, reason]));

const disks = new Disks(shared.temporary());
after(() => disks.close());

test("there are cases, and gaps are of cases", () => {
  assert.ok(cases.length > 300, `only ${cases.length} cases are found`);
  for (const name of gaps.keys()) assert.ok(cases.some((one) => one.name === name), `no case ${name}`);
});

for (const one of cases) {
  test(`${one.name}: ${one.description}`, async () => {
    const difference = await play(one, disks, (name) => readFileSync(shared(`fixtures/${name}`), "utf8"));
    if (gaps.has(one.name)) assert.ok(difference, "it passes now: take it off known-gaps.json");
    else assert.equal(difference, undefined);
  });
}
