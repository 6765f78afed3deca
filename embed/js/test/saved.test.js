// Results that a client has saved in a file of its own: they are followed into its folder, and nowhere else.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { MAIN } from "./golden.js";
import { shared } from "./shared.js";

const TEXT = Array.from({ length: 2000 }, (_, i) => `line ${i} of an é output`).join("\n");

/** What the hook prints for an event, and its log. */
function hooked(home, client, event) {
  const env = { HOME: home, TMPDIR: shared.temporary(), LRO_JS: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "hook", client], { env, input: JSON.stringify(event), encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout === "" ? undefined : JSON.parse(stdout);
}

const logOf = (home) => readFileSync(join(home, ".local/state/lro/hook.log"), "utf8");

/** An event of Claude Code for a command whose output is in a file. */
function event(home, path, bytes = Buffer.byteLength(TEXT)) {
  return {
    hook_event_name: "PostToolUse",
    transcript_path: join(home, "project/session.jsonl"),
    tool_name: "Bash",
    tool_input: { command: "make" },
    tool_response: { stdout: "the beginning", stderr: "", interrupted: false, isImage: false, persistedOutputPath: path, persistedOutputSize: bytes },
  };
}

test("a saved output is offloaded from its file", () => {
  const home = shared.temporary();
  const folder = join(home, "project/session/tool-results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.txt"), TEXT);
  const { updatedToolOutput } = hooked(home, "claude", event(home, join(folder, "a.txt"))).hookSpecificOutput;
  const response = JSON.parse(updatedToolOutput.stdout);
  assert.equal(response.summary.count, 2000);
  assert.equal(updatedToolOutput.persistedOutputPath, undefined);
});

test("another file is not followed, and the log says why", () => {
  const home = shared.temporary();
  const folder = join(home, "project/session/tool-results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, "secret.txt"), TEXT);
  writeFileSync(join(folder, "a.txt"), TEXT);
  symlinkSync(join(home, "secret.txt"), join(folder, "link.txt"));
  for (const [path, bytes, reason] of [
    [join(home, "secret.txt"), undefined, /it is not in the client's folder for results/],
    [join(folder, "link.txt"), undefined, /symbolic link|ELOOP/],
    [join(folder, "../../../secret.txt"), undefined, /it is not in the client's folder for results/],
    [join(folder, "missing.txt"), undefined, /no such file or directory/],
    [join(folder, "a.txt"), 7, /it is not what the event says/],
    [folder, undefined, /./],
  ]) {
    assert.equal(hooked(home, "claude", event(home, path, bytes)), undefined, path);
    assert.match(logOf(home).trim().split("\n").at(-1), reason, path);
  }
});
