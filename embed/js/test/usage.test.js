// What the command in JavaScript says to a command line that is not valid, and its help: the status is the native command's.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, test } from "node:test";

import { Lro } from "../src/index.js";
import { MAIN } from "./golden.js";
import { shared } from "./shared.js";

let file;
before(async () => {
  const lro = await Lro.open({ outputDir: shared.temporary() });
  const { response } = await lro.offload({ operation: "rows", value: Array.from({ length: 2000 }, (_, id) => ({ id, kind: id % 2 })) });
  file = response.file_path;
  await lro.close();
});

function said(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], { encoding: "utf8", env: { ...process.env, LRO_JS: "1" } });
  return { status, stdout, stderr };
}

test("flags that exclude each other are refused before the file is read", () => {
  const rows = [
    ["--query . --recipe 1", "the argument '--query <JQ>' cannot be used with '--recipe <1-10>'"],
    ["--recipe 1 --query .", "the argument '--recipe <1-10>' cannot be used with '--query <JQ>'"],
    ["--select id --query .", "the argument '--select <FIELD,...>' cannot be used with '--query <JQ>'"],
    ["--group-by kind --recipe 1", "the argument '--group-by <FIELD,...>' cannot be used with '--recipe <1-10>'"],
    ["--recipe 1 --aggregate count", "the argument '--recipe <1-10>' cannot be used with '--aggregate <AGGREGATE,...>'"],
    ["--sort-by kind --recipe 1", "the argument '--sort-by <FIELD>' cannot be used with '--recipe <1-10>'"],
    ["--query . --into --raw", "the argument '--into' cannot be used with '--raw'"],
    ["--where id=1 --per-group 2", "the following required arguments were not provided: --group-by <FIELD,...>"],
    ["--query . --lines 2", "the following required arguments were not provided: --line <N>"],
    ["--query . --timeout -1", "`--timeout` takes a number of seconds, not `-1`"],
    ["--query . --timeout soon", "`--timeout` takes a number of seconds, not `soon`"],
  ];
  for (const [flags, message] of rows) {
    assert.deepEqual(said("extract", file, ...flags.split(" ")), { status: 2, stdout: "", stderr: `lro: ${message}\n` });
  }
});

test("a time limit of zero is one that is exceeded", () => {
  const expected = "lro: extraction stopped: it ran longer than 0 ms (look at less data, or raise the time limit (`--timeout` of the command))\n";
  assert.deepEqual(said("extract", file, "--query", ".id", "--timeout", "0"), { status: 1, stdout: "", stderr: expected });
});

test("a long time limit is one", () => {
  assert.equal(said("extract", file, "--query", ".id", "--limit", "1", "--timeout", "1e12").stdout, "0\n");
});

test("topics are those of the native command", () => {
  for (const topic of ["exit-codes", "recipes", "settings"]) {
    const { status, stdout } = said("help", topic);
    assert.equal(status, 0);
    assert.ok(stdout.length > 500);
    if (process.env.LRO) assert.equal(stdout, spawnSync(process.env.LRO, ["help", topic], { encoding: "utf8" }).stdout);
  }
  const { status, stderr } = said("help", "nonsense");
  assert.equal(status, 2);
  assert.match(stderr, /there is neither a command nor a topic `nonsense`.*exit-codes, recipes and settings/);
});
