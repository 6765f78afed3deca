// Recipes, criteria, filters, and the table; what is wrong says what to do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { opened, said, sample, served } from "./served.js";

let place;
before(async () => (place = await served()));
after(() => place.end());

async function filtered(page, filter) {
  await page.getByLabel("Filter", { exact: true }).fill(filter);
  await page.getByRole("button", { name: "Run the filter" }).click();
}

test("each recipe runs", async (t) => {
  const page = await opened(t, place);
  await sample(page);
  const values = ["", "prefix=_semantic", "keyword=decision", "", "value=semantic", "", "member=adr", "", "", "pattern=redis"];
  const recipes = page.locator("#recipes button");
  assert.equal(await recipes.count(), 10);
  for (const [at, recipe] of (await recipes.all()).entries()) {
    await page.getByLabel("Parameter").fill(values[at]);
    await recipe.click();
    const answered = await said(page, "#answered", /result/);
    assert.match(answered, /^[1-9][\d,]*( of [\d,]+)? results?, [\d,]+ ms$/, await recipe.textContent());
    assert.doesNotMatch(await page.locator("#wrong").textContent(), /cannot/);
  }
  await page.getByLabel("Parameter").fill("keywrod=decision");
  await recipes.nth(2).click();
  await said(page, "#wrong", "keyword");
});

test("criteria and a filter, page by page", async (t) => {
  const page = await opened(t, place);
  await sample(page);
  await page.getByLabel("Conditions, one a line").fill("title~=decision");
  await page.getByLabel("Fields").fill("title");
  await page.getByLabel("Sort by").fill("-created");
  await page.getByRole("button", { name: "Run the criteria" }).click();
  await said(page, "#answered", /result/);
  const lines = (await page.locator("#results").textContent()).trim().split("\n");
  assert.ok(lines.length > 1 && lines.every((line) => /decision/i.test(JSON.parse(line).title)), lines[0]);

  await filtered(page, ".id");
  await said(page, "#answered", "200 results");
  await page.getByRole("button", { name: "More results" }).click();
  await said(page, "#answered", "362 results");
  assert.equal(new Set((await page.locator("#results").textContent()).trim().split("\n")).size, 362);
});

test("what is wrong is said in a live region, with a hint", async (t) => {
  const page = await opened(t, place);
  await sample(page);
  const alert = page.locator("#wrong[role=alert]");
  await filtered(page, ".titel");
  await said(page, "#wrong", "did you mean `.title`?");
  await filtered(page, "select(.title == ");
  await said(page, "#wrong", "cannot compile the filter");
  assert.match(await alert.locator(".hint").textContent(), /is never closed/);
  await page.getByLabel("Conditions, one a line").fill("titel=x");
  await page.getByRole("button", { name: "Run the criteria" }).click();
  await said(page, "#wrong", "title");
});

test("a filter without an end is ended, and the next call works", async (t) => {
  const page = await opened(t, place);
  await sample(page);
  for (const endless of ["def f: f; f", "last(repeat(1))", "[range(1e12)] | length"]) {
    await filtered(page, endless);
    await said(page, "#wrong", "stopped");
    assert.doesNotMatch(await page.locator("#wrong").textContent(), /timeoutMs|timeout_ms/);
    await filtered(page, ".id");
    await said(page, "#answered", "200 results");
  }
  await filtered(page, "last(repeat(1))");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await said(page, "#wrong", "stopped");
  await filtered(page, ".id");
  await said(page, "#answered", "200 results");
});

test("the table sorts, filters, turns pages and shows a record", async (t) => {
  const page = await opened(t, place);
  await sample(page);
  await page.locator("#table").getByRole("button", { name: "title" }).click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  await page.getByLabel("Condition", { exact: true }).fill("title~=decision");
  await page.locator("#table").getByRole("button", { name: "Filter" }).click();
  await said(page, "#table .chips", "title~=decision");
  for (const cell of await page.locator("tbody tr td:nth-child(2)").allTextContents()) assert.match(cell, /decision/i);
  await page.getByLabel("Condition", { exact: true }).fill("titel=x");
  await page.locator("#table").getByRole("button", { name: "Filter" }).click();
  await said(page, "#table .alert", "title");
  await said(page, "#table .status", "No record meets the conditions");
  for (const condition of ["titel=x", "title~=decision"]) {
    await page.getByRole("button", { name: `Remove the condition ${condition}` }).click();
  }
  await said(page, "#table .status", "Records 1 to 25");
  await page.getByRole("button", { name: "Next page" }).click();
  await said(page, "#table .status", "Records 26 to 50");
  await page.getByRole("button", { name: "Show record 26" }).click();
  await page.locator("dialog[open]").waitFor();
  assert.equal(typeof JSON.parse(await page.locator("dialog pre").textContent()).id, "string");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "hidden" });
});
