// The package as a user has it: its types in a consumer, and its files in an empty project.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { examples } from "./examples.js";
import { shared } from "./shared.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** The output of a command; one that fails fails with it. */
function run(program, args, cwd) {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], shell: program === "npm.cmd" });
}

test("the types of a consumer and of the README's examples hold, and mistakes are found", () => {
  const files = examples().map((code, i) => [join(PACKAGE, "test", "types", `readme-${i + 1}.mts`), code]);
  assert.ok(files.length >= 2, `${files.length} examples`);
  try {
    // Without an import a file would be no module.
    for (const [file, code] of files) writeFileSync(file, `${code}\nexport {};\n`);
    run(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "--project", "test/types"], PACKAGE);
  } finally {
    for (const [file] of files) rmSync(file);
  }
});

test("the types of a consumer in CommonJS hold", () => {
  const options = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,esnext.disposable", "--types", "node"];
  const file = join("test", "types", "required.cts");
  for (const module of ["node16", "nodenext"]) {
    run(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), ...options, "--module", module, file], PACKAGE);
  }
});

test("the README's program runs", () => {
  const program = examples().find((code) => code.includes('from "lro-component"'));
  const given = `
    import { readFileSync } from "node:fs";
    const records = JSON.parse(readFileSync(${JSON.stringify(shared("fixtures/mif-memories.json"))}, "utf8"));
    const sendToModel = (text) => console.log(JSON.parse(text).offloaded);`;
  const folder = shared.temporary();
  const entry = new URL("../src/index.js", import.meta.url).href;
  writeFileSync(join(folder, "main.mjs"), given + program.replace('"lro-component"', JSON.stringify(entry)));
  assert.match(run(process.execPath, ["main.mjs"], folder), /^true\n\[/);
  assert.deepEqual(readdirSync(folder), ["main.mjs", "results"]);
});

test("installed into an empty project, it offloads and extracts", () => {
  const project = shared.temporary();
  const [packed] = JSON.parse(run(npm, ["pack", "--json", "--pack-destination", project], PACKAGE));
  const names = packed.files.map(({ path }) => path);
  for (const name of ["README.md", "component/embedded.js", "component/index.cjs", "component/mcp.d.cts", "src/index.js", "types/mcp.d.ts", "example/server.js"]) {
    assert.ok(names.includes(name), `${name} is missing: ${names}`);
  }
  assert.ok(!names.some((name) => /^(test|scripts|bench|node_modules)\//.test(name)), String(names));

  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  run(npm, ["install", "--ignore-scripts", "--offline", "--omit=peer", "--no-audit", "--no-fund", packed.filename], project);
  const script = `
    import { Lro } from "lro-component";
    import "lro-component/mcp";
    const lro = await Lro.open({ outputDir: "results", thresholdTokens: 10 });
    const records = Array.from({ length: 100 }, (_, n) => ({ n }));
    const { response } = await lro.offload({ operation: "numbers", records });
    const { results } = await lro.extract({ filePath: response.file_path, query: "select(.n > 97) | .n" });
    console.log(JSON.stringify(results));
  `;
  writeFileSync(join(project, "main.js"), script);
  assert.equal(run(process.execPath, ["main.js"], project), "[98,99]\n");
  const main = JSON.parse(readFileSync(join(project, "node_modules", "lro-component", "package.json")));
  assert.equal(main.dependencies, undefined);
});
