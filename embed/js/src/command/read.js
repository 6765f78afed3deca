// `read`: prints a range of lines or characters of an offloaded file.

import { Failure } from "./failure.js";
import { remark, write } from "./output.js";
import { FILE, FOLDER, withSource } from "./source.js";
import { withFlags } from "./with-flags.js";

export const ABOUT = "Print a range of lines or characters of an offloaded file";

export const ARGUMENTS = [FILE];

export const FLAGS = [
  { name: "lines", value: "A-B", help: "Print these lines: A-B, A- (to the end), -N (the last N) or A" },
  { name: "chars", key: "characters", aliases: ["characters"], value: "A-B", help: "Print these characters" },
  { name: "header", help: "Count the header as line 1, and print it too" },
  { name: "base64", help: "Print the base64 of the bytes" },
  FOLDER,
];

export const NATIVE_FLAGS = ["store"];

export async function run(flags) {
  const { lines, characters, header, base64 } = flags;
  if (lines !== undefined && characters !== undefined) throw Failure.usage("`--lines` and `--chars` are given: one of them says what to print");
  return withSource(flags, async (lro, source) => {
    let next;
    do {
      const page = await lro.read({ ...source, lines, characters, header, encoding: base64 ? "base64" : undefined, next });
      await write(base64 && page.text !== "" ? `${page.text}\n` : page.text);
      page.remarks.forEach((text) => remark(withFlags(text)));
      next = page.next;
    } while (next !== undefined);
  });
}
