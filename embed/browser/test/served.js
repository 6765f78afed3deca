// The page as a visitor has it: served by `lro demo --web`, in a Chromium without a screen. The variable LRO names the command.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A busy machine takes its time. */
const PATIENCE_MS = 30_000;

/** The server and the browser, until they are ended. */
export async function served() {
  const server = spawn(process.env.LRO ?? "lro", ["demo", "--web"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(server.stdout), "line");
  const url = /http:\S+/.exec(line)[0];
  const browser = await chromium.launch({ executablePath: found("chromium"), headless: true, args: [...ARGUMENTS, ...QUIET] });
  const end = async () => {
    await browser.close();
    server.kill();
  };
  return { url, server, browser, end };
}

/** A program on the path. */
function found(program) {
  const folder = process.env.PATH.split(delimiter).find((folder) => existsSync(join(folder, program)));
  if (!folder) throw new Error(`${program} is missing: \`bash tests/run needs\` installs it`);
  return join(folder, program);
}

/** A page that has begun, in a context of its own. Whatever goes wrong in it fails the test at its end. */
export async function opened(test, { url, browser }, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("dialog", (dialog) => wrong.push(dialog.message()));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("request", (request) => !request.url().startsWith(url) && !request.url().startsWith("blob:") && wrong.push(request.url()));
  test.after(async () => {
    await context.close();
    if (wrong.length > 0) throw new Error(`in the page: ${wrong.join("; ")}`);
  });
  await page.goto(url);
  await page.locator("html[data-ready]").waitFor();
  return page;
}

/** Waits for a text in an element, and returns all of its text. */
export async function said(page, selector, text) {
  const found = page.locator(selector).filter({ hasText: text });
  await found.waitFor();
  return found.textContent();
}

/** Gives the sample, and waits for its table. */
export async function sample(page) {
  await page.getByRole("button", { name: "Try the sample" }).click();
  await said(page, "#table", "Records 1 to 25");
}

/** Drops a file into the page, as a hand would. */
export async function dropped(page, name, text) {
  const make = ([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name));
    return transfer;
  };
  const dataTransfer = await page.evaluateHandle(make, [name, text]);
  await page.dispatchEvent("#drop", "drop", { dataTransfer });
}

/** Pastes a text and offloads it. */
export async function pasted(page, text) {
  await page.getByLabel("Or paste the text").fill(text);
  await page.getByRole("button", { name: "Offload the text" }).click();
}
