// The flags that are settings, and the options of the component that they ask for. Names and meanings are those of the native
// command; what a value means is known to the component alone.

import { readFileSync } from "node:fs";

import { Failure, reason } from "./failure.js";
import { fraction, number, oneOf } from "./values.js";

/** The flags that every subcommand has. */
export const GLOBAL_FLAGS = [
  { name: "settings-file", aliases: ["config"], value: "FILE", help: "Read settings from the table [prompt.offload] of this TOML file" },
  {
    name: "environment-prefix",
    aliases: ["env-prefix"],
    value: "PREFIX",
    help: "Read settings from variables with this prefix instead of ATLATL_PROMPT__OFFLOAD__",
  },
  { name: "json-errors", help: "Print an error as one JSON object" },
];

export const OUTPUT_DIR = {
  name: "output-dir",
  value: "DIR",
  help: "Write files to this directory, created if missing [default: lro-UID in the temporary directory]",
};

export const THRESHOLD = {
  name: "threshold-tokens",
  aliases: ["threshold"],
  value: "N",
  read: number,
  help: "Offload results with more tokens than this [default: 1600]",
};

export const TTL = { name: "ttl-seconds", aliases: ["ttl"], value: "N", read: number, help: "Seconds after which a file may be deleted" };

export const TOKENIZER = { name: "tokenizer", value: "NAME", help: "How to estimate tokens: chars or mixed; o200k_base and cl100k_base count exactly" };

export const DESCRIPTOR = { name: "descriptor", value: "full|compact|bare|envelope|message", help: "What a response says" };

export const MIN_SAVING = {
  name: "min-saving",
  value: "FRACTION",
  read: fraction,
  help: "Leave a result alone where a response and an answer would cost more than this part of it; 0: never [default: 0.5]",
};

export const TOOL_NAMES = {
  name: "tool-names",
  value: "lro|artifact|large_output|unified",
  help: "The names and arguments that the extraction tools have",
};

export const PROFILE = { name: "profile", value: "current|early|mcpagent", help: "The thresholds, file names and tools of another system" };

export const CONTEXT = {
  name: "context",
  key: "contextTokens",
  value: "TOKENS",
  read: number,
  help: "The context window of the model in tokens: results that would take too much of it are offloaded, and no others",
};

export const EVENTS = { name: "events", value: "FILE", help: "Append events to this file as JSON Lines instead of writing them to standard error" };

/** The flags of what stands between tools and a model. */
export const OFFLOADING_FLAGS = [
  THRESHOLD,
  TOKENIZER,
  OUTPUT_DIR,
  TTL,
  DESCRIPTOR,
  MIN_SAVING,
  {
    name: "tool",
    key: "tools",
    value: "NAME=never|always|memories|N",
    repeats: true,
    read: tool,
    help: "Override the threshold for one tool; may be repeated",
  },
  { name: "no-tools", help: "Do not offer the extraction tools; responses then point to jq in a shell" },
  { name: "tool-prefix", value: "PREFIX", help: "The prefix of the names of the extraction tools [default: lro_]" },
  TOOL_NAMES,
  PROFILE,
];

/** The flags of a conversation. */
export const SESSION_FLAGS = [
  { name: "session", value: "NAME", help: "Put files into this folder of the output directory and read no others, as a client that resumes needs it" },
  {
    name: "session-end",
    value: "delete|keep",
    read: oneOf("delete", "keep"),
    help: "What happens to the session's files at its end [default: delete, or keep with --session]",
  },
  CONTEXT,
];

/** `NAME=never|always|memories|N` as the settings of a tool. */
function tool(text) {
  const equals = text.lastIndexOf("=");
  if (equals < 1) throw Failure.usage("`--tool` takes NAME=never, NAME=always, NAME=memories or NAME=N");
  const [name, how] = [text.slice(0, equals), text.slice(equals + 1)];
  if (how === "memories") return [name, { memories: true }];
  return [name, /^\d+$/.test(how) ? { thresholdTokens: Number(how) } : { offload: how }];
}

/** The settings that all subcommands read: a file, and variables. */
export function sources({ settingsFile, environmentPrefix }) {
  const prefix = environmentPrefix ?? "ATLATL_PROMPT__OFFLOAD__";
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith(prefix)));
  if (process.env.LRO_STORE) throw Failure.usage("the variable LRO_STORE names a store for files, which only the native command `lro` can use");
  const options = { environment, environmentPrefix };
  return settingsFile === undefined ? options : { ...options, settingsText: textOfSettings(settingsFile) };
}

function textOfSettings(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw Failure.usage(`cannot read the settings file \`${file}\`: ${reason(error)}`);
  }
}

/** The options that the flags of a command between tools and a model ask for. */
export function offloadingOptions(flags) {
  const { outputDir, thresholdTokens, tokenizer, ttlSeconds, descriptor, minSaving, toolPrefix, toolNames, profile, contextTokens } = flags;
  const settings = { outputDir, thresholdTokens, tokenizer, ttlSeconds, descriptor, minSaving, toolPrefix, toolNames, profile, contextTokens };
  return {
    ...sources(flags),
    ...settings,
    defaults: "agent",
    offerTools: flags.noTools ? false : undefined,
    tools: flags.tools && Object.fromEntries(flags.tools),
  };
}

/** True if something besides flags may have set something. */
export function hasOtherSources({ settingsText, environment }) {
  return settingsText !== undefined || Object.keys(environment).length > 0;
}
