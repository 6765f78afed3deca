// Who else can see what is written, and that nothing outside of the directory is reached while folders are exchanged.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import { Lro } from "../src/index.js";
import { shared } from "./shared.js";


const posix = { skip: process.platform === "win32" && "modes and links are of Unix" };
const records = Array.from({ length: 300 }, (_, n) => ({ title: `t${n}`, body: "x ".repeat(40) }));
const mode = (path) => statSync(path).mode & 0o777;

let lro;
before(async () => (lro = await Lro.open({ outputDir: shared.temporary() })));
after(() => lro.close());

test("files and directories are private, and a missing one is made", posix, async () => {
  const outputDir = join(shared.temporary(), "new", "deep");
  const one = await lro.reopen({ outputDir });
  const both = { first: records, second: records };
  const { fileName, sections } = await one.offload({ operation: "recall", payload: JSON.stringify(both), session: "s" });
  assert.equal(sections.length, 1);
  assert.deepEqual([outputDir, join(outputDir, "s")].map(mode), [0o700, 0o700]);
  for (const name of [fileName, sections[0].fileName]) assert.equal(mode(join(outputDir, name)), 0o600, name);
  const file = join(shared.temporary(), "file");
  writeFileSync(file, "");
  await assert.rejects(Lro.open({ outputDir: file }), { case: "io", hint: /outputDir/ });
});

test("a directory that cannot be made is told at once", posix, async () => {
  await assert.rejects(Lro.open({ outputDir: "/proc/x/y" }), { case: "io", message: /\/proc\/x\/y/ });
});

test("a file has its mode from its first byte on", posix, () => {
  const umask = process.umask(0);
  try {
    const program = `
      import { grant, preopens, revoke } from ${JSON.stringify(new URL("../src/disk.js", import.meta.url).href)};
      import { statSync } from "node:fs";
      const directory = ${JSON.stringify(shared.temporary())};
      grant(directory, true);
      const [[granted]] = preopens.getDirectories();
      granted.createDirectoryAt("s");
      granted.openAt({}, "f", { create: true, exclusive: true }, { write: true });
      console.log(["s", "f"].map((name) => (statSync(directory + "/" + name).mode & 0o777).toString(8)).join());
      revoke();`;
    assert.equal(run(program), "700,600\n");
  } finally {
    process.umask(umask);
  }
});

test("the default directory is the user's own", posix, async () => {
  const temporary = shared.temporary();
  const open = `
    import { Lro } from ${JSON.stringify(new URL("../src/index.js", import.meta.url).href)};
    const lro = await Lro.open().catch(({ case: name, message }) => ({ outputDir: name + ": " + message }));
    console.log(lro.outputDir);`;
  const found = () => run(open, { ...process.env, TMPDIR: temporary }).trim();
  const own = join(temporary, `lro-${process.geteuid()}`);
  assert.equal(found(), own);
  assert.equal(mode(own), 0o700);
  chmodSync(own, 0o777);
  assert.equal(found(), own);
  assert.equal(mode(own), 0o700);
  renameSync(own, `${own}.real`);
  symlinkSync(`${own}.real`, own);
  assert.match(found(), /^io: cannot use /);
  unlinkSync(own);
  if (process.geteuid() !== 0) return;
  mkdirSync(own);
  chownSync(own, 65534, 65534);
  assert.match(found(), /belongs to another user/);
});

const isRoot = process.geteuid?.() === 0;

test("nothing is written into a folder that another user has made", { skip: isRoot ? false : "only root can make one" }, async () => {
  const outputDir = shared.temporary();
  const one = await lro.reopen({ outputDir });
  mkdirSync(join(outputDir, "s"));
  chmodSync(join(outputDir, "s"), 0o777);
  chownSync(join(outputDir, "s"), 65534, 65534);
  const answer = await one.offload({ operation: "recall", records, session: "s" });
  assert.equal(answer.outcome, "truncated");
  assert.deepEqual(answer.events.map(({ name }) => name), ["LargeResultDetected", "OffloadWriteFailed"]);
  assert.deepEqual(readdirSync(join(outputDir, "s")), []);
});

test("a named pipe is refused at once", posix, async () => {
  const { fileName, response } = await lro.offload({ operation: "recall", records });
  const pipe = response.file_path.slice(0, -12) + "AAAAAA.jsonl";
  execFileSync("mkfifo", [pipe]);
  await assert.rejects(lro.extract({ filePath: pipe, query: "." }), { case: "outside" });
  assert.ok(existsSync(join(lro.outputDir, fileName)));
});

test("a folder that is exchanged for a link leads nowhere", posix, async () => {
  const [outputDir, outside] = [shared.temporary(), shared.temporary()];
  const one = await lro.reopen({ outputDir });
  const { fileName } = await one.offload({ operation: "x", records, session: "s" });
  const name = fileName.split("/")[1];
  writeFileSync(join(outside, name), readFileSync(join(outputDir, fileName), "utf8").replaceAll('"t7"', '"CANARY"'));
  const attacker = new Worker(exchanging, { eval: true, workerData: { folder: join(outputDir, "s"), outside } });
  let read = 0;
  let refused = 0;
  try {
    const end = Date.now() + 4_000;
    while (Date.now() < end) {
      const page = await one.extract({ filePath: join(outputDir, fileName), query: ".title" }).catch(() => ({ results: [] }));
      assert.ok(!page.results.includes("CANARY"), "it has read a file outside");
      if (page.results.length > 0) read++;
      else refused++;
      if ((read + refused) % 5 === 0) await one.offload({ operation: "x", records, session: "s" });
    }
  } finally {
    await attacker.terminate();
  }
  assert.deepEqual(readdirSync(outside), [name]);
  // Otherwise there was no race.
  assert.ok(read > 0 && refused > 0, `${read} read, ${refused} refused`);
});

/** Another program that may rename in the directory. */
const exchanging = `
  const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
  const { folder, outside } = require("node:worker_threads").workerData;
  for (;;) {
    try {
      renameSync(folder, folder + ".real");
      symlinkSync(outside, folder);
      unlinkSync(folder);
      renameSync(folder + ".real", folder);
    } catch {
      // The folder that an offload has made meanwhile is in the way; another offload may be writing into it.
      try { require("node:fs").rmSync(folder, { recursive: true, force: true }); } catch {}
      try { renameSync(folder + ".real", folder); } catch {}
    }
  }`;

function run(program, env = process.env) {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  return execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd, env, encoding: "utf8" });
}
