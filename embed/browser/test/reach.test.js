// Everybody reaches everything: by keyboard, with a screen reader, on a phone, without a network.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { opened, said, sample, served } from "./served.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let place;
before(async () => (place = await served()));
after(() => place.end());

for (const colorScheme of ["dark", "light"]) {
  test(`axe finds nothing, ${colorScheme}`, async (t) => {
    const page = await opened(t, place, { colorScheme, bypassCSP: true });
    await page.addScriptTag({ path: AXE });
    const check = async (where) => {
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      assert.deepEqual(told, [], where);
    };
    await check("at the beginning");
    await sample(page);
    await page.getByLabel("Filter", { exact: true }).fill(".titel");
    await page.getByRole("button", { name: "Run the filter" }).click();
    await said(page, "#wrong", "did you mean");
    await page.locator("details.columns summary").click();
    await check("with results and a hint");
    await page.getByRole("button", { name: "Show record 1", exact: true }).click();
    await check("with a record");
    await shot(page, colorScheme);
  });
}

test("360 pixels need no scrolling to the side", async (t) => {
  const page = await opened(t, place, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(await wide(), 360);
  await sample(page);
  await page.locator("#recipes button").first().tap();
  await said(page, "#answered", /result/);
  assert.equal(await wide(), 360);
  await shot(page, "phone");
});

test("the keyboard is enough", async (t) => {
  const page = await opened(t, place);
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 120; presses++) {
      await page.keyboard.press("Tab");
      if ((await focused()) === wanted) return;
    }
    assert.fail(`Tab does not come to ${wanted}`);
  };
  await tabTo("Skip to the result");
  await tabTo("sample");
  await page.keyboard.press("Enter");
  await said(page, "#table", "Records 1 to 25");
  await tabTo("title");
  await page.keyboard.press("Enter");
  await page.locator("th[aria-sort=ascending]").waitFor();
  assert.equal(await focused(), "title");
  await tabTo("Count by memory_type");
  await page.keyboard.press("Space");
  await said(page, "#answered", /result/);
  await tabTo("query");
  await page.keyboard.type(".titel");
  await tabTo("Run the filter");
  await page.keyboard.press("Enter");
  await said(page, "#wrong", "did you mean");
  await tabTo("restore");
  await page.keyboard.press("Enter");
  await said(page, "#restored", "byte for byte");
});

test("once loaded, the page needs no network", async (t) => {
  const page = await opened(t, place);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await (await caches.open("lro")).keys()).length === 8);
  await page.context().setOffline(true);
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  await sample(page);
  await page.locator("#recipes button").first().click();
  await said(page, "#answered", /result/);
});

/** A picture for whoever wants to look at it: LRO_PICTURES names a folder. */
async function shot(page, name) {
  const folder = process.env.LRO_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
