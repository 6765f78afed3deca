// The table in a chat, with real parts: the command as server, the client of the SDK, the bridge of ext-apps as host, Chromium.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { DOCUMENT, app } from "../scripts/app.js";
import { chatPage, connected, folder } from "../chat/chat.js";
import { issues } from "../chat/issues.js";
import { ISSUES } from "../chat/servers.js";

/** What the model does: it offloads a large text and reads a page of the records. */
async function asked(client, input) {
  const text = JSON.stringify(issues(300));
  const offloaded = await client.callTool({ name: "lro_offload", arguments: { text, operation: "issues" } });
  const { file_path } = offloaded.structuredContent;
  const given = { file_path, ...input };
  return { input: given, result: await client.callTool({ name: "lro_extract", arguments: given }) };
}

/** Shows what the model got, with the page that the server names. */
async function shown(t, client, { input, result }) {
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name.endsWith("extract"));
  assert.equal(tool._meta.ui.resourceUri, "ui://lro/table");
  const { contents } = await client.readResource({ uri: tool._meta.ui.resourceUri });
  assert.equal(contents[0].mimeType, "text/html;profile=mcp-app");
  const chat = await chatPage(t, client);
  await chat.page.evaluate((given) => showApp(given), { html: contents[0].text, tool, input, result });
  return chat;
}

const rows = (table) => table.locator("tbody tr");
const column = (table, at) => table.locator(`tbody tr td:nth-of-type(${at})`).allTextContents();
const settled = async (table, text) => table.getByRole("status").filter({ hasText: text }).waitFor();

test("the document in the command is what is built", async () => {
  const [built, embedded] = [await app(), readFileSync(DOCUMENT, "utf8")];
  assert.equal(embedded === built, true, "node scripts/app.js");
  assert.ok(Buffer.byteLength(built) < 100_000);
});

test("the table sorts, filters and turns pages through the tool, and the model keeps its page", async (t) => {
  const client = await connected(t, ["mcp", "--output-dir", folder(t)]);
  assert.deepEqual(client.getServerCapabilities().resources, {});
  const model = await asked(client, { select: ["id", "title", "state", "size"], limit: 10 });
  const before = JSON.stringify(model.result);
  const { page, problems, table } = await shown(t, client, model);
  await settled(table, "Records 1 to 10");
  assert.equal(await rows(table).count(), 10);
  assert.equal(await page.evaluate(() => log.length), 0, "the first page is what the model got");
  assert.deepEqual(await page.evaluate(() => app), { name: "lro-table", version: "0.1.0" });

  await table.getByRole("button", { name: "Next page" }).click();
  await settled(table, "Records 11 to 35");
  assert.equal((await column(table, 1))[0], "11");

  await table.getByRole("button", { name: "size", exact: true }).click();
  await table.locator('th[data-column="size"][aria-sort="ascending"]').waitFor();
  const sizes = issues(300).map(({ size }) => size).sort((one, other) => one - other);
  assert.deepEqual((await column(table, 4)).map(Number), sizes.slice(0, 25));
  await table.getByRole("button", { name: "size", exact: true }).click();
  await table.locator('th[data-column="size"][aria-sort="descending"]').waitFor();
  assert.deepEqual((await column(table, 4)).map(Number), sizes.toReversed().slice(0, 25));

  await table.getByLabel("Condition", { exact: true }).fill("state=open");
  await table.getByRole("button", { name: "Filter" }).click();
  await settled(table, "Records 1 to 25 of 100");
  assert.ok((await column(table, 3)).every((state) => state === "open"));
  for (const range of ["26 to 50", "51 to 75", "76 to 100"]) {
    await table.getByRole("button", { name: "Next page" }).click();
    await settled(table, `Records ${range} of 100`);
  }
  assert.equal(await table.getByRole("button", { name: "Next page" }).isDisabled(), true);
  await table.getByRole("button", { name: "Previous page" }).click();
  await settled(table, "Records 51 to 75 of 100");

  const called = await page.evaluate(() => log);
  assert.deepEqual([...new Set(called.map(({ name }) => name))].sort(), ["lro_describe", "lro_extract"]);
  assert.equal(JSON.stringify(model.result), before);
  assert.equal(model.result.structuredContent.results.length, 10);
  assert.deepEqual(problems, []);
  assert.ok((await page.evaluate(() => size)).height > 100);
});

test("a condition that is not valid is told, and the table stays", async (t) => {
  const client = await connected(t, ["mcp", "--output-dir", folder(t)]);
  const { table } = await shown(t, client, await asked(client, { select: ["id", "size"], limit: 5 }));
  const condition = table.getByLabel("Condition", { exact: true });
  await condition.fill("title=~[");
  await condition.press("Enter");
  await table.getByRole("alert").filter({ hasText: "is not a valid regex" }).waitFor();
  assert.equal(await rows(table).count(), 5);
});

test("what a record holds is text, whatever it looks like", async (t) => {
  const client = await connected(t, ["mcp", "--output-dir", folder(t)]);
  const { page, problems, table } = await shown(t, client, await asked(client, { select: ["id", "title"], limit: 5 }));
  await settled(table, "Records 1 to 5");
  const cell = (await column(table, 2))[2];
  assert.ok(cell.startsWith("<img src=x onerror="), cell);
  assert.equal(await table.locator("tbody img, tbody script").count(), 0);
  await table.getByRole("button", { name: "Show record 3" }).click();
  const record = await table.locator("dialog pre").textContent();
  assert.ok(record.includes("<script>") && record.includes("\\u202etxt"), record);
  await table.getByRole("button", { name: "Close" }).click();
  assert.equal(await table.locator("dialog").isVisible(), false);
  assert.notEqual(await page.title(), "taken");
  assert.deepEqual(problems, []);
});

test("an answer to a query is shown as it is", async (t) => {
  const client = await connected(t, ["mcp", "--output-dir", folder(t)]);
  const { table } = await shown(t, client, await asked(client, { group_by: "state" }));
  await rows(table).first().waitFor();
  assert.deepEqual((await rows(table).allTextContents()).length, 2);
});

test("an error of the tool is told", async (t) => {
  const client = await connected(t, ["mcp", "--output-dir", folder(t)]);
  const model = await asked(client, { query: ".[" });
  assert.equal(model.result.isError, true);
  const { table } = await shown(t, client, model);
  await table.getByRole("alert").filter({ hasText: "filter" }).waitFor();
});

test("behind a proxy the table shows what it has put aside, under the name that the tool has there", async (t) => {
  const client = await connected(t, ["proxy", "--output-dir", folder(t), "--tool-prefix", "kept_", "--", ...ISSUES]);
  const { structuredContent } = await client.callTool({ name: "list_issues", arguments: {} });
  assert.equal(structuredContent.offloaded, true);
  const input = { file_path: structuredContent.file_path, where: ["state=open"], sort_by: "-id", select: ["id", "state"], limit: 7 };
  const result = await client.callTool({ name: "kept_extract", arguments: input });
  const { page, problems, table } = await shown(t, client, { input, result });
  await settled(table, "Records 1 to 7");
  assert.deepEqual(await column(table, 1), ["298", "295", "292", "289", "286", "283", "280"]);
  await table.getByRole("button", { name: "Remove the condition state=open" }).click();
  await table.locator("tbody").getByText("300", { exact: true }).waitFor();
  assert.deepEqual((await column(table, 1)).slice(0, 3), ["300", "299", "298"]);
  await table.getByRole("button", { name: "Next page" }).click();
  await settled(table, "Records 26 to 50");
  const called = await page.evaluate(() => log);
  assert.deepEqual([...new Set(called.map(({ name }) => name))].sort(), ["kept_describe", "kept_extract"]);
  assert.deepEqual(problems, []);
});
