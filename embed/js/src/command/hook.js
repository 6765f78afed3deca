// `hook CLIENT`: a command that a coding agent runs after each call of a tool, and that offloads large results.
//
// A hook must not fail: what goes wrong lets the result through, with exit status 0, no output, and a line in a log
// (decision 245).

import { isUtf8 } from "node:buffer";
import { buffer } from "node:stream/consumers";

import { ask } from "../clients.js";
import { beforeSettings } from "../proxy/shortest.js";
import { Events } from "./events.js";
import { Failure, report, textOf } from "./failure.js";
import { append } from "./hook-log.js";
import { remark, sendRemarksTo, write } from "./output.js";
import { readSaved } from "./saved.js";
import { CONTEXT, EVENTS, OFFLOADING_FLAGS, hasOtherSources, offloadingOptions } from "./settings.js";

export const ABOUT = "Offload large results of a coding agent's tools, as a hook that the agent runs after each call";

export const ARGUMENTS = [{ name: "client", value: "claude|codex|gemini|cursor|opencode" }];

export const FLAGS = [...OFFLOADING_FLAGS, CONTEXT, EVENTS];

export const NATIVE_FLAGS = ["ledger", "store"];

export const EXAMPLES = `
Examples:
  lro hook claude < event.json
  lro hook codex --tool Bash=4000 --tool mcp__github__list_issues=never

The command is for the configuration of a client, which runs it after each call of a tool; \`lro setup\` writes it there.
It never fails: errors go to ~/.local/state/lro/hook.log.`;

const CLIENTS = ["claude", "codex", "gemini", "cursor", "opencode"];

/** More is not read. */
const MOST_EVENT_BYTES = 256 << 20;

export async function run(flags) {
  if (process.stdin.isTTY) throw Failure.usage("a client runs `lro hook` with an event on standard input; see `lro hook --help`");
  keepQuiet(flags.client);
  try {
    const answer = await answered(flags);
    if (answer !== undefined) await write(answer);
  } catch (error) {
    remark(textOf(error));
  }
  return 0;
}

/** A wrong command line goes to the log too: an exit status of 2 would mean something to a client. */
export function misused(error) {
  if (process.stdin.isTTY) return report(error, process.argv.includes("--json-errors"));
  keepQuiet("hook");
  remark(textOf(error));
  return 0;
}

/** From now on standard error stays empty, which some clients show to the model. */
function keepQuiet(client) {
  sendRemarksTo((line) => append(client, line));
  process.on("uncaughtException", (error) => {
    remark(`panicked: ${error.stack}`);
    process.exit(0);
  });
}

/** The client's answer to the event on standard input, if there is one. */
async function answered({ client, ...flags }) {
  if (!CLIENTS.includes(client)) throw Failure.usage(`\`${client}\` is not a client with a hook: ${CLIENTS.join(", ")}`);
  const event = await eventOfInput();
  const held = await ask("hook-held", client, flags.toolPrefix ?? "", event);
  if (held === null) return undefined;
  const result = held.result ?? (await resultOf(held.saved));
  const bytes = Buffer.byteLength(result);
  const options = offloadingOptions(flags);
  const hasRule = flags.tools?.some(([name]) => name === held.tool) ?? false;
  const shortest = beforeSettings(options, hasOtherSources(options))(held.tool);
  if (bytes <= shortest || (bytes < held.leastBytes && (held.isPrinted || !hasRule))) return undefined;
  return offloaded({ client, event, held, result, bytes }, options, new Events(flags.events));
}

async function offloaded({ client, event, held, result, bytes }, options, events) {
  const { Lro } = await import("../index.js");
  const lro = await Lro.open(options);
  try {
    if (await ask("hook-is-ours", result, held.arguments, `${lro.outputDir}/`)) return undefined;
    const call = lro.forCall({ client: (await ask("hook-in-mcp", client)) ?? undefined });
    const rewritten = await call.mcpOffloadResult(held.tool, held.arguments, result);
    events.report(rewritten.events);
    if (rewritten.message === undefined) return undefined;
    const names = JSON.stringify(rewritten.events.map(({ name }) => name));
    return (await ask("hook-answer", client, event, String(bytes), names, rewritten.message)) ?? undefined;
  } finally {
    await lro.close();
  }
}

async function resultOf(saved) {
  const { bytes, text } = readSaved(saved);
  return ask("hook-saved", JSON.stringify(saved), String(bytes), text).catch(({ message }) => {
    throw new Failure("other", `\`${saved.path}\` is not followed: ${message}`);
  });
}

async function eventOfInput() {
  const bytes = await buffer(process.stdin);
  if (bytes.length > MOST_EVENT_BYTES) throw new Failure("other", `the event has more than ${MOST_EVENT_BYTES} bytes`);
  if (!isUtf8(bytes)) throw new Failure("other", "the event is not valid UTF-8");
  return bytes.toString();
}
