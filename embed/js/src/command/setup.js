// `setup`: writes what a client needs into its configuration, and takes it out again. What is written where, the library
// knows; here files are read and written.

import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ask } from "../clients.js";
import { carryOut, look } from "./configurations.js";
import { Failure } from "./failure.js";
import { printable, write } from "./output.js";
import { VERSION } from "./version.js";

export const ABOUT = "Set up a coding agent: the hook, the tools that read offloaded results, and permission to call them";

export const ARGUMENTS = [{ name: "client", value: "CLIENT", optional: true }];

export const FLAGS = [
  { name: "project", help: "Change the configuration of the folder that you are in" },
  { name: "user", help: "Change your own configuration, for all projects [default; with --wrap: both]" },
  { name: "wrap", help: "Put `lro proxy` before the stdio servers of a configuration instead, for clients without hooks" },
  { name: "file", value: "FILE", help: "Wrap the servers of this configuration" },
  { name: "undo", help: "Take out what was put in" },
  { name: "dry-run", help: "Show what would change, and change nothing" },
  { name: "output-dir", value: "DIR", help: "Write files to this directory [default: lro-UID in the temporary directory]" },
];

export const EXAMPLES = `
Examples:
  lro setup claude                      offload the results of all tools of Claude Code
  lro setup codex --project --dry-run   show what would change for Codex in this folder
  lro setup gemini --undo               put the configuration back as it was
  lro setup --wrap                      put \`lro proxy\` before the servers of Claude Desktop and VS Code
  lro setup --wrap --file mcp.json      the same for a configuration of any client

Clients: claude, codex, gemini, opencode, cursor. A copy of each file that changes is kept beside it.
Everything else in a configuration stays as it is, with its comments and its layout. The difference shows texts that lro
did not write as …, because configurations contain secrets.`;

/** Variables that name folders of configurations. */
const VARIABLES = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "APPDATA"];

const SYSTEMS = { darwin: "macos", win32: "windows" };

export async function run(flags) {
  check(flags);
  const request = JSON.stringify(requestOf(flags));
  const paths = await ask("setup-candidates", request);
  const looked = Object.fromEntries(paths.map((path) => [path, look(path)]));
  const prepared = await ask("setup-prepare", request, JSON.stringify(looked));
  if (!flags.dryRun) carryOut(prepared);
  const lines = prepared.report.map(({ difference, text }) => difference ?? `${printable(text)}\n`);
  await write(lines.join(""));
}

function check({ project, user, file, wrap, client }) {
  const together = [[project && user, "--project", "--user"], [project && file, "--project", "--file"], [user && file, "--user", "--file"]];
  for (const [isBoth, one, other] of together) if (isBoth) throw Failure.usage(`\`${one}\` cannot be used with \`${other}\``);
  if (file !== undefined && !wrap) throw Failure.usage("`--file` names servers to wrap: it goes with `--wrap`");
  if (file !== undefined && client !== undefined) throw Failure.usage("`--file` and a client are given: one of them says what to wrap");
}

function requestOf({ client, project, user, wrap, file, undo, dryRun, outputDir }) {
  const variables = VARIABLES.map((name) => [name, process.env[name]]).filter(([, value]) => value);
  return {
    client: client ?? null,
    project: project ?? false,
    user: user ?? false,
    wrap: wrap ?? false,
    file: file ?? null,
    undo: undo ?? false,
    dry_run: dryRun ?? false,
    output_dir: outputDir === undefined ? null : writable(resolve(outputDir)),
    command: command().map(writable),
    places: { home: home(), project: process.cwd(), variables: Object.fromEntries(variables), system: SYSTEMS[process.platform] ?? "linux" },
  };
}

/** The home folder that the environment names. Without a name there is none, as natively. */
function home() {
  const folder = process.platform === "win32" ? homedir() : (process.env.HOME ?? "");
  if (!isAbsolute(folder)) throw Failure.usage("your home folder is not known: set HOME to it");
  return folder;
}

/**
 * The words with which clients start us: the program in LRO_PROGRAM, for those who have their own way to start it; this node with this file where the package is installed, and npx with this version
 * where it is not, because what npx has fetched goes when its cache does.
 */
export function command(file = fileURLToPath(new URL("main.js", import.meta.url)), node = process.execPath) {
  if (process.env.LRO_PROGRAM) return [process.env.LRO_PROGRAM];
  const path = file.replaceAll("\\", "/");
  const isInstalled = path.endsWith("/node_modules/lro-component/src/command/main.js") && !/\/_npx\/|\/dlx-/.test(path);
  return isInstalled ? [node, file] : ["npx", "-y", `lro-component@${VERSION}`];
}

/** A word as a configuration can have it. */
function writable(word) {
  if (!/[\n\r]/.test(word)) return word;
  throw Failure.usage(`\`${word}\` cannot be written into a configuration; use another folder`);
}
