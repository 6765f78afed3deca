// Builds what a browser loads and nobody writes by hand, into `built/`: the binding of the component by jco, and the two scripts
// of the page. They are checked in, so that building the command needs no node; a test builds them again
// and compares.
//
// The variable LRO names the command; without it, cargo builds and runs it. LRO_BROWSER names the folder of the sources, if
// this script is a copy.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { transpileBytes } from "@bytecodealliance/jco-transpile";
import { build } from "esbuild";

const FOLDER = process.env.LRO_BROWSER ?? fileURLToPath(new URL("..", import.meta.url));
const JS = join(FOLDER, "..", "js");
const OUT = process.argv[2] ?? join(FOLDER, "built");

/** Browsers of this age have what the page uses. */
const TARGET = ["chrome123", "firefox120", "safari17.5"];

const { finishedBinding } = await import(pathToFileURL(join(JS, "scripts", "binding.js")));

/** The component of the command. */
function component() {
  const folder = mkdtempSync(join(tmpdir(), "lro-build-"));
  const file = join(folder, "lro.wasm");
  const write = ["component", "-o", file];
  const stdio = ["ignore", "inherit", "inherit"];
  try {
    if (process.env.LRO) execFileSync(process.env.LRO, write, { stdio });
    else execFileSync("cargo", ["run", "--quiet", "--locked", "-p", "lro-cli", "--", ...write], { cwd: FOLDER, stdio });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** jco's binding. The core modules that it writes too are those of the component, which the page takes apart by itself. */
async function binding() {
  const options = { name: "lro", instantiation: "async", noComponentErrorWrapping: true };
  const { files } = await transpileBytes(component(), options);
  const code = Buffer.from(Object.entries(files).find(([name]) => name.endsWith("lro.js"))[1]).toString();
  return finishedBinding(code, join(JS, "src", "texts.js"));
}

/** The text of a bundle with nothing left to import. */
async function bundled(entry, format, plugins = []) {
  const silent = { logLevel: "warning", logOverride: { "empty-import-meta": "silent" } };
  // jco reads files where nobody gives it modules; here somebody does.
  const external = ["node:fs/promises"];
  const options = { bundle: true, write: false, platform: "browser", minify: true, charset: "utf8", legalComments: "none", external };
  const entryPoints = [join(FOLDER, "src", entry)];
  const { outputFiles } = await build({ ...options, ...silent, entryPoints, format, target: TARGET, plugins });
  return outputFiles[0].text;
}

function write(name, text) {
  writeFileSync(join(OUT, name), text);
  console.log(`${String(Buffer.byteLength(text)).padStart(9)}  built/${name}`);
}

mkdirSync(OUT, { recursive: true });
// Not checked in: the bundle of the worker has it.
const given = await binding();
const bound = {
  name: "binding",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/component\.js$/ }, ({ path, importer }) => (importer.endsWith("worker.js") ? { path, namespace: "bound" } : undefined));
    onLoad({ filter: /.*/, namespace: "bound" }, () => ({ contents: given, loader: "js", resolveDir: FOLDER }));
  },
};
write("worker.js", await bundled("worker.js", "iife", [bound]));
write("page.js", await bundled("page.js", "esm"));
