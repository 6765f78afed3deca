// `estimate`: prints how many tokens a result would cost.

import { encoding, textOfInput } from "./input.js";
import { write } from "./output.js";
import { TOKENIZER, sources } from "./settings.js";
import { withLro } from "./source.js";

export const ABOUT = "Print how many tokens a result would cost";

export const ARGUMENTS = [{ name: "file", value: "FILE|-", optional: true }];

export const FLAGS = [
  TOKENIZER,
  { name: "encoding", value: "NAME", read: encoding, help: "The encoding of the result: latin-1, utf-16le, shift_jis, … [default: UTF-8]" },
];

export async function run({ file = "-", tokenizer, encoding: from, ...flags }) {
  const payload = await textOfInput(file, from);
  return withLro({ ...sources(flags), tokenizer }, async (lro) => write(`${await lro.estimate({ payload, operation: "estimate" })}\n`));
}
