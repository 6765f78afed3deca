// What `--help` prints, from the tables of the subcommands.

import { written } from "./flags.js";
import { GLOBAL_FLAGS } from "./settings.js";

/** As wide as the native command's help. */
const WIDTH = 100;

const NATIVE = `The native command \`lro\` has more: remote servers (proxy --url), several servers (--server), HTTP (--listen), demo,
doctor, keep, purge.`;

export async function overview(groups, load) {
  const sections = await Promise.all(groups.map(async ([title, names]) => {
    const lines = await Promise.all(names.map(async (name) => `  ${name.padEnd(10)}${(await load(name)).ABOUT}`));
    return `${title}:\n${lines.join("\n")}`;
  }));
  const about = "Large Result Offloading: results that are too large for a model go to a file, and the model gets a short response\n" +
    "that says what is there and how to read it.";
  const begin = "Begin with: npx -y lro-component proxy -- npx -y @modelcontextprotocol/server-filesystem DIR";
  const ends = "  --version  Print the version\n  --help     Print this overview, or the help of a command; `lro help exit-codes`, `recipes` and `settings` print topics";
  return [about, "Usage: lro <COMMAND>", ...sections, ends, NATIVE, begin].join("\n\n") + "\n";
}

export function commandHelp(name, { ABOUT, ARGUMENTS = [], FLAGS = [], TRAILING, EXAMPLES = "" }) {
  const words = ARGUMENTS.map(({ value, optional }) => (optional ? `[${value}]` : `<${value}>`));
  const usage = ["Usage: lro", name, "[OPTIONS]", ...words, ...(TRAILING ? ["[--] COMMAND…"] : [])].join(" ");
  const options = `Options:\n${table(FLAGS)}`;
  const others = `Options of every command:\n${table(GLOBAL_FLAGS)}`;
  return [ABOUT, usage, ...(FLAGS.length > 0 ? [options] : []), others, ...(EXAMPLES ? [EXAMPLES.trim()] : [])].join("\n\n") + "\n";
}

function table(flags) {
  return flags.map((flag) => `  ${flag.short ? `-${flag.short}, ` : ""}${written(flag)}\n${wrapped(flag.help)}`).join("\n");
}

function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) === "" ? word : `${lines.at(-1)} ${word}`;
    if (longer.length > WIDTH - 10) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => `          ${line}`).join("\n");
}
