// `setup` on the configurations of the native command's cases (`cli/tests/golden/setup`): the same files before and after.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { command } from "../src/command/setup.js";
import { VERSION } from "../src/command/version.js";
import { MAIN } from "./golden.js";
import { shared } from "./shared.js";

const GOLDEN = shared("../cli/tests/golden/setup");
const PROGRAM = "/opt/own/lro";

/** A home folder with copies of these files, and a folder to be in. */
function home(before) {
  const folder = shared.temporary();
  if (existsSync(before)) cpSync(before, folder, { recursive: true });
  mkdirSync(join(folder, "project"), { recursive: true });
  return folder;
}

function setup(folder, line, env = { LRO_PROGRAM: PROGRAM }) {
  const options = { cwd: join(folder, "project"), env: { HOME: folder, ...env }, encoding: "utf8" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...line.split(/\s+/)], options);
  assert.equal(stderr, "", line);
  assert.equal(status, 0, line);
  return stdout;
}

/** All files below a folder with their texts, and all folders. */
function all(folder) {
  const names = readdirSync(folder, { recursive: true }).sort();
  return new Map(names.map((name) => [name, statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "utf8") : undefined]));
}

function expectedAfter(folder) {
  const files = [...all(folder)].filter(([, text]) => text !== undefined);
  return files.map(([name, text]) => [name, text.replaceAll("@LRO@", PROGRAM)]);
}

/** The files without those of ours beside them; the plugin changes by itself. */
function found(folder) {
  const files = [...all(folder)].filter(([name, text]) => text !== undefined && !/\.(?:lro|before-lro)-/.test(name));
  return files.map(([name, text]) => {
    if (!name.endsWith("plugins/lro.js")) return [name, text];
    assert.ok(text.includes(`const LRO = ${JSON.stringify(PROGRAM)};`), text);
    return [name, "the plugin\n"];
  });
}

const cases = readdirSync(GOLDEN).filter((name) => existsSync(join(GOLDEN, name, "command")));
assert.ok(cases.length > 20, `${cases.length} cases`);

for (const name of cases) {
  test(`${name}: files are as the native command leaves them, a dry run and a second run change nothing, undo restores every byte`, () => {
    const line = readFileSync(join(GOLDEN, name, "command"), "utf8").trim();
    const folder = home(join(GOLDEN, name, "before"));
    const before = all(folder);
    assert.match(setup(folder, `${line} --dry-run`), /would be/);
    assert.deepEqual(all(folder), before);
    const told = setup(folder, line);
    assert.doesNotMatch(told, /secret|ghp_|sk-/);
    assert.deepEqual(found(folder), expectedAfter(join(GOLDEN, name, "after")));
    const once = all(folder);
    setup(folder, line);
    assert.deepEqual(all(folder), once);
    setup(folder, `${line} --undo`);
    assert.deepEqual(all(folder), before);
  });
}

test("a configuration names npx with this version, and is known again without a record", () => {
  const folder = home("nowhere");
  const file = join(folder, ".claude.json");
  writeFileSync(file, '{\n  "mcpServers": {}\n}\n');
  setup(folder, "setup claude", {});
  const { mcpServers } = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(mcpServers.lro, { type: "stdio", command: "npx", args: ["-y", `lro-component@${VERSION}`, "mcp"] });
  const { hooks } = JSON.parse(readFileSync(join(folder, ".claude/settings.json"), "utf8"));
  assert.equal(hooks.PostToolUse[0].hooks[0].command, `npx -y lro-component@${VERSION} hook claude`);
  for (const record of readdirSync(folder).filter((name) => name.includes(".lro-setup"))) writeFileSync(join(folder, record), "gone");
  setup(folder, "setup claude --undo", {});
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")).mcpServers ?? {}, {});
  assert.ok(!existsSync(join(folder, ".claude/settings.json")));
});

test("a server is put behind npx, and comes out again", () => {
  const folder = home("nowhere");
  const file = join(folder, "project", "mcp.json");
  const text = '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "server-files"] } } }\n';
  writeFileSync(file, text);
  setup(folder, "setup --wrap --file mcp.json", {});
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")).mcpServers.files, {
    command: "npx",
    args: ["-y", `lro-component@${VERSION}`, "proxy", "--", "npx", "-y", "server-files"],
  });
  assert.match(setup(folder, "setup --wrap --file mcp.json", {}), /: nothing to change/);
  setup(folder, "setup --wrap --file mcp.json --undo", {});
  assert.equal(readFileSync(file, "utf8"), text);
});

test("an installed package is named by its path, one that npx has fetched is not", () => {
  const installed = "/usr/lib/node_modules/lro-component/src/command/main.js";
  assert.deepEqual(command(installed, "/usr/bin/node"), ["/usr/bin/node", installed]);
  const npx = ["npx", "-y", `lro-component@${VERSION}`];
  assert.deepEqual(command("/home/me/.npm/_npx/0a1b/node_modules/lro-component/src/command/main.js", "/usr/bin/node"), npx);
  assert.deepEqual(command("/home/me/repository/embed/js/src/command/main.js", "/usr/bin/node"), npx);
});

test("what cannot be edited stays, and the reason is told", () => {
  const folder = home("nowhere");
  const file = join(folder, ".claude", "settings.json");
  mkdirSync(dirname(file));
  for (const [text, reason] of [["{ nonsense", /cannot edit `.*settings\.json`: line 1:/], [Buffer.from([0x7b, 0xff, 0x7d]), /line 1 is not UTF-8/]]) {
    writeFileSync(file, text);
    const { status, stderr } = spawnSync(process.execPath, [MAIN, "setup", "claude"], { cwd: folder, env: { HOME: folder }, encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, reason);
    assert.deepEqual(readFileSync(file), Buffer.from(text));
    assert.ok(!existsSync(join(folder, ".claude.json")));
  }
  const misused = spawnSync(process.execPath, [MAIN, "setup", "emacs"], { env: { HOME: folder }, encoding: "utf8" });
  assert.equal(misused.status, 2);
  assert.match(misused.stderr, /^lro: `emacs` is not a known client: claude, codex, gemini, opencode, cursor/);
});
