// Builds `component/` from the very component that `lro component` writes: core modules, and JavaScript that binds them.
//
// The variable LRO names the command; without it, cargo builds and runs it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { MOST_PAGES } from "../src/limits.js";
import { withMaximumMemory } from "./maximum-memory.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const OUT = join(PACKAGE, "component");

/** Writes the component to a file. */
function writeComponent(file) {
  const stdio = ["ignore", "inherit", "inherit"];
  if (process.env.LRO) {
    execFileSync(process.env.LRO, ["component", "-o", file], { stdio });
  } else {
    execFileSync("cargo", ["run", "--quiet", "--locked", "-p", "lro", "--", "component", "-o", file], { cwd: PACKAGE, stdio });
  }
}

/** A file of jco's as we ship it. */
function finished(name, bytes) {
  if (name === "lro.core.wasm") return withMaximumMemory(bytes, MOST_PAGES);
  if (name === "lro.js") return withByteOrderMarks(Buffer.from(bytes).toString());
  return bytes;
}

/** A text that begins with a byte order mark keeps it on its way out: what came in comes back byte for byte. */
function withByteOrderMarks(code) {
  const decoder = "TEXT_DECODER_UTF8 = new TextDecoder();";
  if (!code.includes(decoder)) throw new Error("jco makes its decoder otherwise than it did");
  return code.replace(decoder, 'TEXT_DECODER_UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });');
}

async function build() {
  // jco is a development dependency: who installs the package has what is built here, and never runs this.
  const { transpile } = await import("@bytecodealliance/jco");
  const folder = mkdtempSync(join(tmpdir(), "lro-build-"));
  try {
    const file = join(folder, "lro.wasm");
    writeComponent(file);
    const { files } = await transpile(readFileSync(file), { name: "lro", instantiation: "async" });
    rmSync(OUT, { recursive: true, force: true });
    for (const [name, bytes] of Object.entries(files).sort()) {
      // Our own types say what callers see.
      if (name.endsWith(".d.ts")) continue;
      const path = join(OUT, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, finished(name, bytes));
      console.log(`${String(bytes.length).padStart(9)}  component/${name}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (!(process.argv.includes("--if-missing") && existsSync(join(OUT, "lro.js")))) {
  await build();
}
