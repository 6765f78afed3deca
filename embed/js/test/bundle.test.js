// The package where no file of it is beside the program: in bundles, and behind `require`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { shared } from "./shared.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

const IMPORTS = `
  import { Lro, LroError } from "lro-component";
  import { offloadLargeResults } from "lro-component/mcp";`;

const REQUIRES = `
  const { Lro, LroError } = require("lro-component");
  const { offloadLargeResults } = require("lro-component/mcp");`;

/** Offloads and extracts, sees an error, and attaches to a server, whose threads it shares. */
const PROGRAM = `
  async function main() {
    const lro = await Lro.open({ outputDir: process.argv[2], thresholdTokens: 10 });
    const records = Array.from({ length: 100 }, (_, n) => ({ n }));
    const { response } = await lro.offload({ operation: "numbers", records });
    const { results } = await lro.extract({ filePath: response.file_path, query: "select(.n > 97) | .n" });
    const isTold = await lro.extract({ filePath: response.file_path, query: "{" }).catch((error) => error instanceof LroError);
    const large = await offloadLargeResults({ connect: async () => {} }, { lro });
    console.log(JSON.stringify([results, isTold, typeof large.offload]));
    await lro.close();
  }
  main();`;

/** An empty project with the package in it, as a link. */
function project() {
  const folder = shared.temporary();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(PACKAGE, join(folder, "node_modules", "lro-component"), "junction");
  return folder;
}

function ran(file, flags = []) {
  const output = execFileSync(process.execPath, [...flags, file, shared.temporary()], { encoding: "utf8", stdio: "pipe" });
  assert.deepEqual(JSON.parse(output), [[98, 99], true, "function"]);
}

for (const [format, program, name] of [
  ["esm", IMPORTS, "bundle.mjs"],
  ["cjs", IMPORTS, "bundle.cjs"],
  ["cjs", REQUIRES, "required.cjs"],
]) {
  for (const minify of [false, true]) {
    test(`a ${minify ? "minified " : ""}bundle runs: ${name}`, async () => {
      const folder = project();
      writeFileSync(join(folder, "program.js"), program + PROGRAM);
      // It runs alone.
      const outfile = join(shared.temporary(), name);
      const options = { bundle: true, platform: "node", format, minify, absWorkingDir: folder, logLevel: "error" };
      await build({ ...options, entryPoints: ["program.js"], outfile });
      ran(outfile);
    });
  }
}

test("a bundle in several files runs", async () => {
  const [folder, outdir] = [project(), shared.temporary()];
  writeFileSync(join(folder, "program.js"), IMPORTS + PROGRAM);
  const options = { bundle: true, splitting: true, platform: "node", format: "esm", absWorkingDir: folder, logLevel: "error" };
  await build({ ...options, entryPoints: ["program.js"], outdir, outExtension: { ".js": ".mjs" } });
  assert.ok(readdirSync(outdir).length > 1);
  ran(join(outdir, "program.mjs"));
});

for (const [what, flags] of [
  ["node as it is", []],
  // As the first releases of node 20: these have another entry.
  ["node that cannot require modules", process.allowedNodeEnvironmentFlags.has("--experimental-require-module") ? ["--no-experimental-require-module"] : []],
]) {
  test(`require works in ${what}`, () => {
    const file = join(project(), "program.cjs");
    writeFileSync(file, REQUIRES + PROGRAM);
    ran(file, flags);
  });
}

test("what a bundler has to take along is named where it is missing", async () => {
  const folder = project();
  writeFileSync(join(folder, "program.js"), 'import { Lro } from "lro-component"; Lro.open().catch((error) => console.log(error.case, error.hint));');
  const outfile = join(shared.temporary(), "bundle.mjs");
  const options = { bundle: true, platform: "node", format: "esm", absWorkingDir: folder, logLevel: "error" };
  await build({ ...options, entryPoints: ["program.js"], outfile, external: ["*/component/embedded.js"] });
  assert.ok(existsSync(outfile));
  assert.match(execFileSync(process.execPath, [outfile], { encoding: "utf8" }), /^unusable .*bundler.*embedded\.js/);
});
