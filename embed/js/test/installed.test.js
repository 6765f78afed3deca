// What `npm pack` makes, in an empty folder with an empty home and an empty cache, without a network: the newcomer's one
// command, each subcommand, and the native command where its package is there.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { packMain } from "../scripts/pack.js";
import { packPlatform } from "../scripts/platform.js";
import { VERSION } from "../src/command/version.js";
import { shared } from "./shared.js";

const PLAIN_SERVER = fileURLToPath(new URL("rows-server.js", import.meta.url));
const OUT = shared.temporary();
const TARGET = `${process.platform}-${process.arch}`;

/** A folder with an environment in which there is nothing but node. */
function nothing() {
  const folder = shared.temporary();
  const home = join(folder, "home");
  mkdirSync(home);
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, TMPDIR: shared.temporary(), npm_config_offline: "true", npm_config_update_notifier: "false" };
  return { folder, env };
}

function installed(...packages) {
  const { folder, env } = nothing();
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const began = Date.now();
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  assert.ok(Date.now() - began < 60_000, `${Date.now() - began} ms`);
  const run = (words, options = {}) => spawnSync("npx", ["lro-component", ...words], { cwd: folder, env: { ...env, ...options.env }, encoding: "utf8", input: options.input ?? "" });
  return { folder, env, run };
}

/** A client of the official SDK that reads a large result to its end. */
async function readsToTheEnd(command, args, { folder, env }) {
  const client = new Client({ name: "newcomer", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, cwd: folder, env, stderr: "ignore" }));
  try {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(names, ["rows", "small", "lro_describe", "lro_extract", "lro_read", "lro_search"]);
    assert.deepEqual((await client.callTool({ name: "small", arguments: {} })).content, [{ type: "text", text: "three" }]);
    const { structuredContent } = await client.callTool({ name: "rows", arguments: {} });
    assert.equal(structuredContent.offloaded, true);
    const found = [];
    let next;
    do {
      const page = { file_path: structuredContent.file_path, query: ".name", ...(next ? { next } : {}) };
      const answer = (await client.callTool({ name: "lro_extract", arguments: page })).structuredContent;
      found.push(...answer.results);
      next = answer.next;
    } while (next);
    assert.deepEqual(found, Array.from({ length: 2000 }, (_, id) => `row ${id}`));
  } finally {
    await client.close();
  }
}

const main = packMain(OUT);

test("a newcomer has a proxied server in one command", async () => {
  const place = nothing();
  const words = ["exec", "--yes", `--package=${main}`, "--", "lro-component", "proxy", "--", process.execPath, PLAIN_SERVER];
  await readsToTheEnd("npm", words, place);
});

test("installed, every subcommand does its job", async () => {
  const place = installed(main);
  const { folder, run } = place;
  await readsToTheEnd("npx", ["lro-component", "proxy", "--output-dir", "out", "--", process.execPath, PLAIN_SERVER], place);
  assert.match(run(["--version"]).stdout, new RegExp(`^lro ${VERSION} \\(JavaScript`));
  assert.match(run(["--help"]).stdout, /Between tools and a model:\n {2}proxy/);
  const records = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, state: id % 2 ? "open" : "closed" })));
  writeFileSync(join(folder, "rows.json"), records);
  const { file_path } = JSON.parse(run(["offload", "rows.json", "--operation", "list", "--output-dir", "out"]).stdout);
  assert.equal(run(["extract", file_path, "--where", "state=open", "--count"]).stdout, "250\n");
  assert.equal(run(["rebuild", file_path]).stdout, records);
  assert.equal(JSON.parse(run(["describe", file_path]).stdout).lines, 501);
  assert.equal(run(["read", file_path, "--lines", "2"]).stdout, '{"id":1,"state":"open"}\n');
  assert.match(run(["search", file_path, '"id":499', "--literal", "-C", "0"]).stdout, /^500:2:/);
  assert.match(run(["list", "--output-dir", "out"]).stdout, /^FILE +OPERATION.*\n.*list +500 /);
  assert.match(run(["cleanup", "--output-dir", "out", "--max-files", "0"]).stdout, /^deleted 1 file /);
  const event = { hook_event_name: "PostToolUse", tool_name: "mcp__x__rows", tool_input: {}, tool_response: [{ type: "text", text: records }] };
  const answer = JSON.parse(run(["hook", "claude"], { input: JSON.stringify(event) }).stdout);
  assert.match(answer.hookSpecificOutput.updatedToolOutput[0].text, /^\{"offloaded":true/);
  assert.equal(run(["setup", "claude", "--project"]).status, 0);
  const { command, args } = JSON.parse(readFileSync(join(folder, ".mcp.json"), "utf8")).mcpServers.lro;
  const client = new Client({ name: "configured", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, cwd: folder, env: place.env, stderr: "ignore" }));
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(tools, ["lro_describe", "lro_extract", "lro_read", "lro_search", "lro_estimate", "lro_offload"]);
  await client.close();
});

test("a hook never fails, and says why in its log", () => {
  const { env, run } = installed(main);
  for (const [words, input] of [[["hook", "claude", "--nonsense"], "{}"], [["hook", "claude"], "not JSON"], [["hook", "nobody"], "{}"], [["hook", "claude"], "\u0000".repeat(10)]]) {
    const { status, stdout, stderr } = run(words, { input });
    assert.deepEqual([status, stdout, stderr], [0, "", ""], words.join(" "));
  }
  const log = readFileSync(join(env.HOME, ".local/state/lro/hook.log"), "utf8").trim().split("\n");
  assert.equal(log.length, 4);
  assert.match(log[1], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ claude: lro: the event is not a JSON object$/);
});

test("with the package of its platform, the command is the native one, unless JavaScript is asked for", { skip: process.env.LRO ? false : "LRO names the native command" }, () => {
  const out = shared.temporary();
  const place = installed(packMain(out, [TARGET]), packPlatform(process.env.LRO, TARGET, out));
  const manifest = JSON.parse(readFileSync(join(place.folder, "node_modules/lro-component/package.json"), "utf8"));
  assert.deepEqual(manifest.optionalDependencies, { [`lro-component-${TARGET}`]: VERSION });
  assert.equal(place.run(["--version"]).stdout, `lro ${VERSION}\n`);
  assert.equal(place.run(["nonsense"]).status, 2);
  assert.match(place.run(["--version"], { env: { LRO_JS: "1" } }).stdout, /JavaScript/);
});

test("a package of a platform that is not in a registry does not keep the main one from being installed", () => {
  const { run } = installed(packMain(shared.temporary(), ["linux-x64", "darwin-arm64"]));
  assert.match(run(["--version"]).stdout, /JavaScript/);
});
