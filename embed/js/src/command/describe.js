// `describe`: prints what an offloaded file contains.

import { write } from "./output.js";
import { FILE, FOLDER, withSource } from "./source.js";

export const ABOUT = "Describe an offloaded file: header, size, lines, shape, fields with types and examples";

export const ARGUMENTS = [FILE];

export const FLAGS = [FOLDER];

export const NATIVE_FLAGS = ["store"];

export async function run(flags) {
  return withSource(flags, async (lro, source) => write(`${JSON.stringify(await lro.describe(source))}\n`));
}
