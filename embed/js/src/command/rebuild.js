// `rebuild`: prints the document that an offloaded file came from.

import { write } from "./output.js";
import { FILE, FOLDER, withSource } from "./source.js";

export const ABOUT = "Print the document that an offloaded file came from, with all its lists and the text around them";

export const ARGUMENTS = [FILE];

export const FLAGS = [FOLDER];

export const NATIVE_FLAGS = ["store"];

export async function run(flags) {
  return withSource(flags, async (lro, source) => write(await lro.rebuild(source)));
}
