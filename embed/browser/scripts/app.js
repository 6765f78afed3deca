// Builds the table for chats, all in one document: a chat loads nothing else. The command embeds it, so it is checked in where
// the command is; a test builds it again and compares. LRO_BROWSER names the folder of the sources, if this script is a copy.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const FOLDER = process.env.LRO_BROWSER ?? fileURLToPath(new URL("..", import.meta.url));

/** Where the command has the document. */
export const DOCUMENT = join(FOLDER, "../../cli/src/table/table.html");

/** Browsers of this age have what the table uses. */
const TARGET = ["chrome123", "firefox120", "safari17.5"];

/** The text of the document. */
export async function app() {
  const page = readFileSync(join(FOLDER, "page", "app.html"), "utf8");
  const styles = readFileSync(join(FOLDER, "page", "table.css"), "utf8");
  const script = (await bundled()).replaceAll("</", "<\\/");
  return page.replace("/* table.css */", () => minified(styles)).replace("/* app.js */", () => script);
}

async function bundled() {
  const options = { bundle: true, write: false, platform: "browser", minify: true, charset: "utf8", legalComments: "none" };
  const entryPoints = [join(FOLDER, "src", "app.js")];
  const { outputFiles } = await build({ ...options, entryPoints, format: "iife", target: TARGET, logLevel: "warning" });
  return outputFiles[0].text.trim();
}

function minified(styles) {
  return styles.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/\n\s*/g, "\n").trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await app();
  writeFileSync(DOCUMENT, text);
  console.log(`${Buffer.byteLength(text)} bytes in cli/src/table/table.html`);
}
