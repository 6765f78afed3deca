// `offload`: reads a result and prints the same text or a short response.

import { Events } from "./events.js";
import { encoding, jsonOf, textOfFile, textOfInput } from "./input.js";
import { write } from "./output.js";
import { CONTEXT, DESCRIPTOR, EVENTS, MIN_SAVING, OUTPUT_DIR, PROFILE, THRESHOLD, TOKENIZER, TTL, sources } from "./settings.js";
import { withLro } from "./source.js";
import { number } from "./values.js";
import { Failure } from "./failure.js";

export const ABOUT = "Print a small result unchanged; store a large one in a file and print the response";

export const ARGUMENTS = [{ name: "file", value: "FILE|-", optional: true }];

export const FLAGS = [
  { name: "operation", value: "NAME", help: "The operation or tool that produced the result" },
  { name: "query", value: "Q", help: "What was asked; it is stored in the header" },
  { name: "encoding", value: "NAME", read: encoding, help: "The encoding of the result: latin-1, utf-16le, shift_jis, … [default: UTF-8]" },
  { name: "detail", value: "light|medium|full", help: "Project the records to this level of detail" },
  { name: "memories", help: "Treat the records as memories, at the level of detail that they have; --detail implies it" },
  THRESHOLD,
  OUTPUT_DIR,
  { name: "session", value: "NAME", help: "Write files to this folder of the output directory" },
  TTL,
  PROFILE,
  { name: "guidance", value: "shell|tool", help: "What the response points to: the jq recipes, or the tool lro_extract" },
  TOKENIZER,
  { name: "tokens", value: "N", read: number, help: "Use your own count of the result's tokens instead of an estimate" },
  { name: "scores", value: "FILE", read: jsonOf("scores"), help: "A JSON array with one score for each record" },
  { name: "formatted", value: "FILE", read: textOfFile, help: "The text to print if nothing is offloaded (inject)" },
  { name: "records", value: ".PATH", help: "Where the records are in a JSON document [default: its large lists]" },
  { name: "sections", value: "FILE", read: jsonOf("sections"), help: "A JSON object with a summary, a schema or recipes of your own for lists, by their paths" },
  { name: "preview", value: "N", read: number, help: "Show this many of the first records in the response" },
  { name: "preview-characters", value: "N", read: number, help: "Show at most this many characters of them, on top of what there is room for" },
  DESCRIPTOR,
  MIN_SAVING,
  CONTEXT,
  { name: "input-tokens", value: "N", read: number, help: "Tokens that the model has read so far, for the gate that keeps headroom" },
  { name: "mode", value: "auto|artifact|truncate", help: "Store a result that is too large, or print its two ends only [default: auto]" },
  EVENTS,
];

export const NATIVE_FLAGS = ["store"];

export const EXAMPLES = `
Example:
  lro offload memories.json --operation recall --detail full --output-dir ./results`;

export async function run({ file = "-", operation, encoding: from, events, ...flags }) {
  if (operation === undefined) throw Failure.usage("`offload` needs `--operation NAME`");
  const { outputDir, thresholdTokens, ttlSeconds, profile, guidance, tokenizer, descriptor, minSaving, contextTokens, mode } = flags;
  const settings = { outputDir, thresholdTokens, ttlSeconds, profile, guidance, tokenizer, descriptor, minSaving, contextTokens, mode };
  const { query, detail, memories, session, tokens, scores, formatted, records, sections, preview, previewCharacters, inputTokens } = flags;
  const request = { query, detail, memories, session, tokens, scores, formatted, records, sections, preview, previewCharacters, inputTokens };
  const payload = await textOfInput(file, from);
  return withLro({ ...sources(flags), ...settings }, async (lro) => {
    const answer = await lro.offload({ payload, operation, ...request });
    new Events(events).reportCounted(answer.events);
    // Only a JSON document of ours gets a newline at its end.
    await write(["offloaded", "truncated"].includes(answer.outcome) ? `${answer.text}\n` : answer.text);
  });
}
