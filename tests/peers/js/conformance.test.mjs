// The official conformance suite finds the same in a reference server, direct and behind the proxy.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { bridge } from "./bridge.mjs";
import { folder, proxied, server } from "./peers.mjs";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const suite = join(dirname(manifest), "dist", "index.js");

/** Runs the suite on a command, and gives each check with how it ended. */
async function checks(t, command) {
  const { url, close } = await bridge(command);
  const results = folder(t);
  const args = [suite, "server", "--url", url, "--suite", "active", "--output-dir", results];
  // Its status says that a check failed; here it only matters that the same ones do.
  await new Promise((resolve) => execFile(process.execPath, args, { cwd: results }, resolve));
  await close();
  const files = readdirSync(results, { recursive: true }).filter((file) => file.endsWith("checks.json"));
  return files.flatMap((file) => {
    // A scenario's folder ends with the moment of its run.
    const scenario = dirname(file).replace(/-\d{4}-.*$/, "");
    return JSON.parse(readFileSync(join(results, file))).map(({ id, status }) => `${scenario} ${id} ${status}`);
  }).sort();
}

test("conformance: the suite's checks end the same behind the proxy", async (t) => {
  const command = server("everything");
  const behind = proxied(["--output-dir", folder(t)], command);
  const [direct, through] = await Promise.all([checks(t, command), checks(t, behind)]);
  const passed = direct.filter((check) => check.endsWith(" SUCCESS")).length;
  t.diagnostic(`${direct.length} checks, of which ${passed} succeed on this server`);
  assert.ok(passed >= 5, direct.join("\n"));
  assert.deepEqual(through, direct);
});
