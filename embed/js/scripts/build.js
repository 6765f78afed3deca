// Builds `component/` from the very component that `lro component` writes: what runs it in a thread, as one text, and the
// same package for `require`; and from the library of what is known of clients.
//
// The variable LRO names the command, and LRO_CLIENTS the library; without them, cargo builds them. LRO_REPOSITORY says where
// the repository is, for a copy of this package outside of it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

import { MOST_PAGES } from "../src/limits.js";
import { withMaximumMemory } from "../src/maximum-memory.js";
import { finishedBinding } from "./binding.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const OUT = join(PACKAGE, "component");
const REPOSITORY = process.env.LRO_REPOSITORY ?? join(PACKAGE, "..", "..");

/** Of brotli, whose best (11) takes 18 s for a tenth less. */
const QUALITY = 9;

/** Node of this version runs what is bundled. */
const TARGET = "node20";

/** Writes the component to a file. */
function writeComponent(file) {
  const stdio = ["ignore", "inherit", "inherit"];
  if (process.env.LRO) {
    execFileSync(process.env.LRO, ["component", "-o", file], { stdio });
  } else {
    execFileSync("cargo", ["run", "--quiet", "--locked", "--manifest-path", join(REPOSITORY, "Cargo.toml"), "-p", "lro-cli", "--", "component", "-o", file], { stdio });
  }
}

/** What the command prints. */
function printed(words, options) {
  if (process.env.LRO) return execFileSync(process.env.LRO, words, { encoding: "utf8", ...options });
  const run = ["run", "--quiet", "--locked", "--manifest-path", join(REPOSITORY, "Cargo.toml"), "-p", "lro-cli", "--"];
  return execFileSync("cargo", [...run, ...words], { encoding: "utf8", ...options });
}

/** What the command answers to requests over MCP. */
function answers(requests) {
  const folder = mkdtempSync(join(tmpdir(), "lro-build-"));
  const input = requests.map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`).join("");
  try {
    const told = printed(["mcp", "--output-dir", folder], { input });
    return told.trim().split("\n").map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tools of `mcp` that are the command's own, without their prefix. */
function givenTools() {
  const clientInfo = { name: "build", version: "1" };
  const handshake = { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } };
  const all = answers([handshake, { method: "notifications/initialized" }, { id: 1, method: "tools/list" }]);
  const { tools } = all.find(({ id }) => id === 1).result;
  const own = tools.map((tool) => ({ ...tool, name: tool.name.replace(/^lro_/, "") })).filter(({ name }) => ["estimate", "offload"].includes(name));
  if (own.length !== 2) throw new Error("the command's tools have other names than they had");
  return own;
}

/** The topics of `lro help` by their names. */
function topics() {
  return Object.fromEntries(["exit-codes", "recipes", "settings"].map((name) => [name, printed(["help", name])]));
}

/** The library of what is known of clients, as a module. */
function clientsLibrary() {
  if (process.env.LRO_CLIENTS) return readFileSync(process.env.LRO_CLIENTS);
  const target = ["--target", "wasm32-unknown-unknown", "--profile", "guest"];
  const words = ["rustc", "--locked", "--manifest-path", join(REPOSITORY, "clients", "Cargo.toml"), "--lib", "--crate-type", "cdylib", ...target];
  const told = execFileSync("cargo", [...words, "--message-format", "json"], { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 64 << 20 });
  const files = told.trim().split("\n").flatMap((line) => JSON.parse(line).filenames ?? []);
  return readFileSync(files.find((file) => file.endsWith("lro_clients.wasm")));
}

/** A file of jco's as we run it. */
function finished(name, bytes) {
  if (name === "lro.core.wasm") return withMaximumMemory(bytes, MOST_PAGES);
  if (name === "lro.js") return finishedBinding(Buffer.from(bytes).toString(), "../src/texts.js");
  return bytes;
}

function write(name, text) {
  writeFileSync(join(OUT, name), text);
  console.log(`${String(text.length).padStart(9)}  component/${name}`);
}

/** The core modules by name, and `lro.js`, which binds them. */
async function transpiled() {
  // jco is a development dependency: who installs the package has what is built here, and never runs this.
  const { transpileBytes } = await import("@bytecodealliance/jco-transpile");
  const folder = mkdtempSync(join(tmpdir(), "lro-build-"));
  try {
    const file = join(folder, "lro.wasm");
    writeComponent(file);
    // The contract's errors are thrown as they are: what is an `Error` is then a trap.
    const options = { name: "lro", instantiation: "async", noComponentErrorWrapping: true };
    const { files } = await transpileBytes(readFileSync(file), options);
    return Object.entries(files).map(([name, bytes]) => [name, finished(name, bytes)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The text of a bundle, of which nothing is left to import but what node has, and `external`. */
async function bundled(entry, external = []) {
  const { build } = await import("esbuild");
  const options = { bundle: true, write: false, platform: "node", format: "cjs", target: TARGET, minifySyntax: true, external };
  // jco's code looks for files by its own address where nobody gives it modules.
  const silent = { logLevel: "warning", logOverride: { "empty-import-meta": "silent" } };
  const { outputFiles } = await build({ ...options, ...silent, ...entry });
  return outputFiles[0].text;
}

function packed(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }).toString("base64");
}

/** The component and its thread as a module without files beside it, so that any bundler takes them along. */
async function embed(modules) {
  const worker = packed(await bundled({ entryPoints: [join(PACKAGE, "src", "worker.js")] }));
  const texts = Object.fromEntries(modules.map(([name, bytes]) => [name, packed(bytes)]));
  const about = "// Made by `npm run build`: the text of the thread, and the core modules, packed by brotli.\n";
  write("embedded.js", `${about}export const worker = "${worker}";\nexport const modules = ${JSON.stringify(texts)};\n`);
}

/** The same code for `require`. All entries share one bundle, since they share their threads. */
async function bundleForRequire() {
  const entries = { index: "index", mcp: "mcp", "tool-results": "toolResults" };
  const contents = Object.entries(entries).map(([file, name]) => `export * as ${name} from "./${file}.js";`).join("\n");
  const entry = { stdin: { contents, resolveDir: join(PACKAGE, "src") } };
  write("all.cjs", await bundled(entry, ["../component/embedded.js"]));
  for (const [file, name] of Object.entries(entries)) {
    write(`${file}.cjs`, `module.exports = require("./all.cjs").${name};\n`);
    writeTypes(file);
  }
  for (const file of FRAMEWORKS) {
    write(`${file}.cjs`, await bundled({ entryPoints: [join(PACKAGE, "src", `${file}.js`)], packages: "external", plugins: [SHARED] }));
    writeTypes(file);
  }
}

/** What needs a framework is loaded with it alone, and takes the rest from where all have it. */
const FRAMEWORKS = ["ai", "langchain", "openai-agents", "claude"];
const SHARED = {
  name: "shared",
  setup: ({ onResolve }) => onResolve({ filter: /\/tool-results\.js$/ }, () => ({ path: "./tool-results.cjs", external: true })),
};

function writeTypes(file) {
  const types = readFileSync(join(PACKAGE, "types", `${file}.d.ts`), "utf8");
  write(`${file}.d.cts`, types.replaceAll(/"(\.\/[a-z-]+)\.js"/g, '"$1.cjs"'));
}

async function build() {
  const files = await transpiled();
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  // Not shipped: the bundle of the thread has it.
  write("lro.js", new Map(files).get("lro.js"));
  await embed(files.filter(([name]) => name.endsWith(".wasm")));
  write("clients.js", `// Made by \`npm run build\`: what is known of clients, packed by brotli.\nexport const clients = "${packed(clientsLibrary())}";\n`);
  write("given-tools.js", `// Made by \`npm run build\` from the native command.\nexport const tools = ${JSON.stringify(givenTools())};\n`);
  write("topics.js", `// Made by \`npm run build\` from the native command.\nexport const topics = ${JSON.stringify(topics())};\n`);
  await bundleForRequire();
}

const isThere = ["embedded.js", "clients.js", "given-tools.js", "topics.js", "claude.cjs"].every((name) => existsSync(join(OUT, name)));
if (!(process.argv.includes("--if-missing") && isThere)) {
  await build();
}
