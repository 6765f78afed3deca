// The argument FILE of subcommands that read: an offloaded file, and the folder that may be used.

import { existsSync } from "node:fs";
import { dirname } from "node:path";

import { Failure } from "./failure.js";
import { textOfInput } from "./input.js";
import { sources } from "./settings.js";

export const FILE = { name: "file", value: "FILE" };

export const FOLDER = { name: "output-dir", value: "DIR", help: "Use only files in this directory" };

/** Calls a function with the opened component and what says where to read, and closes the component. */
export async function withSource(flags, use) {
  const outputDir = there(flags.outputDir ?? folderOf(flags.file));
  const source = flags.file === "-" ? { content: await textOfInput("-") } : { filePath: flags.file };
  return withLro({ ...sources(flags), outputDir }, (lro) => use(lro, source));
}

/** The same for commands without a file. */
export async function withLro(options, use) {
  const { Lro } = await import("../index.js");
  const lro = await Lro.open(options);
  try {
    return await use(lro);
  } finally {
    await lro.close();
  }
}

/** A directory that is there: reading creates none. */
export function there(directory) {
  if (directory === undefined || existsSync(directory)) return directory;
  throw new Failure("not-found", `cannot use \`${directory}\` as the output directory: there is no such directory`);
}

/** The folder of FILE. A bare name that is not in the current folder is searched for where the settings say. */
function folderOf(file) {
  if (file === "-") return undefined;
  const folder = dirname(file);
  if (folder !== "." || file.startsWith("./")) return folder;
  return existsSync(file) ? "." : undefined;
}
