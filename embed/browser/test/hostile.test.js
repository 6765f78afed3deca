// Texts that want to be more than text.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { opened, pasted, said, served } from "./served.js";

let place;
before(async () => (place = await served()));
after(() => place.end());

const IMAGE = "<img src=x onerror=alert(1)>";
const TURNED = "\u202egnp.exe\u202c\u200f";

test("markup, marks of direction and a string of 1 MB stay text", async (t) => {
  const page = await opened(t, place);
  const name = `${IMAGE}"'`;
  const rows = Array.from({ length: 40 }, (_, id) => ({ id, title: `${IMAGE} ${TURNED}`, [name]: "</script><script>alert(2)</script>" }));
  rows[1].body = "y".repeat(1 << 20);
  rows[2].__proto__ = { polluted: true };
  rows[3].constructor = "x";
  await pasted(page, JSON.stringify(rows));
  await said(page, "#table", "Records 1 to 25");
  assert.match(await page.locator("#table").textContent(), /<img src=x onerror=alert\(1\)> \\u202egnp\.exe\\u202c\\u200f/);
  await page.getByRole("button", { name: "Show record 2", exact: true }).click();
  // Its pieces are many.
  await page.locator("dialog[open]").waitFor();
  assert.match(await page.locator("dialog pre").textContent(), /y{1000}/);
  await page.keyboard.press("Escape");
  await page.getByLabel("Filter", { exact: true }).fill(`.["${IMAGE}"] | error("${IMAGE}")`);
  await page.getByRole("button", { name: "Run the filter" }).click();
  await said(page, "#wrong", "<img");
  await page.locator("#recipes button").first().click();
  await said(page, "#answered", /result/);
  assert.equal(await page.locator("img, main script").count(), 0);
  assert.doesNotMatch(await page.locator("main").textContent(), /\u202e/);
  await page.getByRole("button", { name: "Rebuild the result" }).click();
  await said(page, "#restored", "byte for byte");
});

test("what is no JSON, or nothing, is told or kept as text", async (t) => {
  const page = await opened(t, place);
  await page.getByRole("button", { name: "Offload the text" }).click();
  await said(page, "#trouble", "there is no text to offload");
  await pasted(page, `[{"a": 1, ${"[".repeat(20_000)}`);
  await said(page, "#progress", /./);
  await pasted(page, JSON.stringify("z".repeat(100_000)));
  await said(page, "#progress", /Offloaded|Truncated|small enough/);
});
