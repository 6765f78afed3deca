// The official conformance suite finds the same in a reference server, direct and behind the proxy.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { bridge } from "./bridge.mjs";
import { folder, listening, proxied, server } from "./peers.mjs";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const suite = join(dirname(manifest), "dist", "index.js");

/** Runs the suite on a command. */
async function checks(t, command) {
  const { url, close } = await bridge(command);
  const found = await checked(t, url);
  await close();
  return found;
}

/** Runs the suite on a URL, and gives each check with how it ended. */
async function checked(t, url) {
  const results = folder(t);
  const args = [suite, "server", "--url", url, "--suite", "active", "--output-dir", results];
  // Its status says that a check failed; here it only matters that the same ones do.
  await new Promise((resolve) => execFile(process.execPath, args, { cwd: results }, resolve));
  const files = readdirSync(results, { recursive: true }).filter((file) => file.endsWith("checks.json"));
  return files.flatMap((file) => {
    // A scenario's folder ends with the moment of its run.
    const scenario = dirname(file).replace(/-\d{4}-.*$/, "");
    return JSON.parse(readFileSync(join(results, file))).map(({ id, status }) => `${scenario} ${id} ${status}`);
  }).sort();
}

test("conformance: the suite's checks end the same behind the proxy, and none worse before the proxy that listens", async (t) => {
  const command = server("everything");
  const behind = proxied(["--output-dir", folder(t)], command);
  const { url } = await listening(t, ["--output-dir", folder(t)], command);
  const [direct, through, over] = await Promise.all([checks(t, command), checks(t, behind), checked(t, url.href)]);
  const passed = direct.filter((check) => check.endsWith(" SUCCESS")).length;
  t.diagnostic(`${direct.length} checks, of which ${passed} succeed on this server`);
  assert.ok(passed >= 5, direct.join("\n"));
  assert.deepEqual(through, direct);
  assert.equal(over.length, direct.length);
  const failed = (checks) => checks.filter((check) => check.endsWith(" FAILURE"));
  assert.deepEqual(failed(over).filter((check) => !direct.includes(check)), []);
  // The SDK's own transport, which the others are served by, lets pages of others in.
  assert.ok(over.includes("server-dns-rebinding-protection localhost-host-rebinding-rejected SUCCESS"), over.join("\n"));
});
