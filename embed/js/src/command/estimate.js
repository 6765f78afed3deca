// `estimate`: prints the number of tokens of a result's records.

import { encoding, textOfInput } from "./input.js";
import { write } from "./output.js";
import { TOKENIZER, sources } from "./settings.js";
import { withLro } from "./source.js";

export const ABOUT = "Print the number of tokens of a result's records";

export const ARGUMENTS = [{ name: "file", value: "FILE|-", optional: true }];

export const FLAGS = [
  { name: "operation", value: "NAME", help: "The operation or tool that produced the result [default: recall]" },
  { name: "detail", value: "light|medium|full", help: "Count the records at this level of detail" },
  TOKENIZER,
  { name: "encoding", value: "NAME", read: encoding, help: "The encoding of the result: latin-1, utf-16le, shift_jis, … [default: UTF-8]" },
];

export async function run({ file = "-", operation = "recall", detail, tokenizer, encoding: from, ...flags }) {
  const payload = await textOfInput(file, from);
  return withLro({ ...sources(flags), tokenizer }, async (lro) => write(`${await lro.estimate({ payload, operation, detail })}\n`));
}
