// Results are given by a drop, a paste, a choice and the sample; each comes back byte for byte.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { dropped, opened, pasted, said, sample, served } from "./served.js";

const records = (count) => JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, title: `Record ${id}`, note: "x".repeat(40) })));

let place;
before(async () => (place = await served()));
after(() => place.end());

test("the sample: its response, its tokens, its table, and all of it again", async (t) => {
  const page = await opened(t, place);
  await sample(page);
  assert.match(await page.locator("#cost").textContent(), /405,804 tokens.*8\d\d tokens.*1\/\d{3} of the tokens/s);
  const response = JSON.parse(await page.locator("#text").textContent());
  assert.equal(response.offloaded, true);
  assert.equal(response.summary.count, 362);
  await page.getByLabel("with the tool").check();
  assert.match(await page.locator("#text").textContent(), /lro_extract/);
  await page.getByRole("button", { name: "Rebuild the result" }).click();
  await said(page, "#restored", "1,629,218 bytes, equal to what you gave, byte for byte");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download it" }).click()]);
  const rebuilt = readFileSync(await download.path());
  assert.deepEqual(rebuilt, Buffer.from(await (await fetch(`${place.url}sample.json`)).arrayBuffer()));
});

test("a drop, a paste and a choice", async (t) => {
  const page = await opened(t, place);
  await dropped(page, "dropped.json", `\ufeff${records(300)}\r\n`);
  await said(page, "#progress", "Offloaded");
  await said(page, "#table", "Records 1 to 25");
  await page.getByRole("button", { name: "Rebuild the result" }).click();
  await said(page, "#restored", "byte for byte");

  await pasted(page, "{\"small\": true}");
  await said(page, "#progress", "small enough");
  assert.equal(await page.locator("#records").isHidden(), true);
  assert.equal(await page.locator("#text").textContent(), "{\"small\": true}");

  await pasted(page, Array.from({ length: 900 }, (_, at) => `2026-01-01 line ${at} of a log`).join("\n"));
  await said(page, "#table", "line 3 of a log");

  const csv = `id,name\n${Array.from({ length: 2000 }, (_, id) => `${id},name ${id}`).join("\n")}\n`;
  await page.locator("#file").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await said(page, "#table", "name 3");

  await page.locator("#file").setInputFiles({ name: "latin1.txt", mimeType: "text/plain", buffer: Buffer.from([0xe4, 0xf6]) });
  await said(page, "#trouble", "cannot read `latin1.txt`: it is not UTF-8");
});

test("a file of 30 MB", async (t) => {
  const page = await opened(t, place);
  const make = () => {
    const row = (id) => ({ id, title: `Record ${id}`, body: "lorem ipsum ".repeat(24) });
    const file = new File([JSON.stringify(Array.from({ length: 92_000 }, (_, id) => row(id)))], "large.json");
    const transfer = new DataTransfer();
    transfer.items.add(file);
    return transfer;
  };
  await page.dispatchEvent("#drop", "drop", { dataTransfer: await page.evaluateHandle(make) });
  await said(page, "#progress", "Offloaded after");
  await said(page, "#table", "Record 24");
  await page.getByRole("button", { name: "Rebuild the result" }).click();
  assert.match(await said(page, "#restored", "byte for byte"), /^3\d,\d{3},\d{3} bytes, equal/);
});
