// The argument FILE of subcommands that read: an offloaded file, and the folder that may be used.

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { Failure } from "./failure.js";
import { textOfInput } from "./input.js";
import { sources } from "./settings.js";

export const FILE = { name: "file", value: "FILE" };

export const FOLDER = { name: "output-dir", value: "DIR", help: "Use only files in this directory" };

/** Calls a function with the opened component and what says where to read, and closes the component. */
export async function withSource(flags, use) {
  const outputDir = thereFor(flags.file, flags.outputDir ?? folderOf(flags.file));
  const source = flags.file === "-" ? { content: await textOfInput("-") } : { filePath: flags.file };
  return withLro({ ...sources(flags), outputDir }, async (lro) => {
    try {
      return await use(lro, source);
    } catch (error) {
      throw told(error, flags);
    }
  });
}

/** What went wrong in words of the command: the component knows neither standard input nor flags. */
function told(error, { file, outputDir }) {
  const isInput = file === "-";
  const message = isInput ? error.message.replace(/^(cannot (?:open|read|rebuild)) `content`/, "$1 standard input") : error.message;
  if (error.case === "not-an-offload" && isInput) return new Failure(error.case, message, { hint: OF_INPUT });
  if (error.case === "not-found" && outputDir === undefined && folderOf(file) === undefined && !isInput) {
    return new Failure(error.case, message, { hint: `name the directory that it is in: --output-dir DIR; or ${error.hint}` });
  }
  const isOurs = ["invalid-argument", "not-found", "io"].includes(error.case) && message !== error.message;
  return isOurs ? new Failure(error.case, message, { hint: error.hint }) : error;
}

const OF_INPUT =
  "standard input is the whole text of an offloaded file, with its header; other data is offloaded first: lro offload - --operation NAME";

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

/** A directory that is there: reading creates none. `verb` says what is done with it. */
export function there(directory, verb) {
  if (directory === undefined || existsSync(directory)) return directory;
  throw new Failure("not-found", `cannot ${verb} \`${resolve(directory)}\`: the output directory does not exist, or is not granted to the component`);
}

/** The folder of a file, which must be there too. */
function thereFor(file, directory) {
  if (directory === undefined || existsSync(directory)) return directory;
  const shown = file.includes("/") ? resolve(file) : file;
  const hint = "check the path; the directory with the file may have been deleted";
  throw new Failure("not-found", `cannot open \`${shown}\`: there is no directory \`${resolve(directory)}\``, { hint });
}

/** The folder of FILE. A bare name that is not in the current folder is searched for where the settings say. */
function folderOf(file) {
  if (file === "-") return undefined;
  const folder = dirname(file);
  if (folder !== "." || file.startsWith("./")) return folder;
  return existsSync(file) ? "." : undefined;
}
