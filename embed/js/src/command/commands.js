// The subcommands, and how a command line reaches one of them. Each is loaded when it is called.

import { Failure, HOW, report } from "./failure.js";
import { parse } from "./flags.js";
import { commandHelp, overview } from "./help.js";
import { version } from "./version.js";

/** In the groups of the native command's help. */
export const GROUPS = [
  ["Between tools and a model", ["proxy", "hook", "mcp", "setup"]],
  ["Offload and read", ["estimate", "offload", "extract", "read", "search", "describe", "rebuild"]],
  ["Files", ["list", "cleanup"]],
];

const NAMES = GROUPS.flatMap(([, names]) => names);

/** What only the native command has. */
const NATIVE = ["keep", "purge", "component", "conformance", "audit", "stats", "demo", "doctor", "completions", "man"];

/** Runs a command line, and returns the exit status. */
export async function run(words) {
  const asJson = words.includes("--json-errors");
  try {
    return (await performed(words)) ?? 0;
  } catch (error) {
    if (words[0] === "hook") return (await load("hook")).misused(error);
    return report(error, asJson);
  }
}

async function performed(words) {
  const [name, ...others] = words;
  if (name === "--version" || name === "-V") return said(version());
  if (name === undefined) {
    await said(await overview(GROUPS, load));
    return 2;
  }
  if (["--help", "-h", "help"].includes(name)) return said(others[0] ? await help(others[0]) : await overview(GROUPS, load));
  const command = await subcommand(name);
  const asksForHelp = others.slice(0, endOfFlags(others)).some((word) => word === "--help" || word === "-h");
  if (asksForHelp) return said(commandHelp(name, command));
  return command.run(parse(command, others, name));
}

/** Words after `--` belong to a server. */
function endOfFlags(words) {
  const end = words.indexOf("--");
  return end < 0 ? words.length : end;
}

async function help(name) {
  // Made by the build from the native command, whose topics they are.
  const { topics } = await import("../../component/topics.js");
  if (Object.hasOwn(topics, name)) return topics[name];
  if ([...NAMES, ...NATIVE].includes(name)) return commandHelp(name, await subcommand(name));
  const listed = Object.keys(topics).join(", ").replace(/, (?=[^,]*$)/, " and ");
  throw Failure.usage(`there is neither a command nor a topic \`${name}\`: \`lro help\` lists the commands, and the topics are ${listed}`);
}

function subcommand(name) {
  if (NAMES.includes(name)) return load(name);
  if (NATIVE.includes(name)) throw Failure.usage(`\`${name}\` is not in this package; ${HOW}`);
  throw Failure.usage(`\`${name}\` is not a command: ${NAMES.join(", ")}`);
}

function load(name) {
  return import(`./${name}.js`);
}

async function said(text) {
  const { write } = await import("./output.js");
  await write(text);
  return 0;
}
