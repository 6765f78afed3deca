// Both sides of a chat, for tests: an MCP client of the official SDK with a server of ours behind it, and Chromium with a page
// in which an app is shown.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import { chromium } from "playwright-core";

/** The command; the variable LRO names it. */
export const LRO = process.env.LRO ?? fileURLToPath(new URL("../../../target/debug/lro", import.meta.url));

/** A busy machine takes its time. */
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 30_000);

/** What a client says of itself that shows pages. */
export const SHOWS_PAGES = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

/** A folder that is deleted after the test. */
export function folder(t) {
  const made = mkdtempSync(join(tmpdir(), "lro-app-"));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A client of a server with these arguments of the command. */
export async function connected(t, args, capabilities = SHOWS_PAGES) {
  const client = new Client({ name: "chat", version: "1" }, { capabilities });
  await client.connect(new StdioClientTransport({ command: LRO, args, stderr: "inherit" }));
  t.after(() => client.close());
  return client;
}

/** A page of Chromium in which apps can be shown. What the app calls goes to the client. */
export async function chatPage(t, client) {
  const browser = await chromium.launch({ executablePath: process.env.LRO_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => /^(https?|wss?|file):/.test(request.url()) && problems.push(`asked for ${request.url()}`));
  await page.exposeFunction("callTool", (params) => client.callTool(params));
  await page.addScriptTag({ content: await script() });
  return { page, problems, table: page.frameLocator("iframe") };
}

async function script() {
  const entryPoints = [fileURLToPath(new URL("page.js", import.meta.url))];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: "iife", logLevel: "error" });
  return outputFiles[0].text;
}
