// The tools estimate and offload of `mcp`, for a text that the client gives, or a file below the folders that the user allows.
// They are tools of the command, because the component reaches only its output directory (decision 114).

import { readFileSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { isUtf8 } from "node:buffer";

import { Failure, reason } from "./failure.js";

/** The operation of a text without one. */
const OPERATION = "offload";

/** Offloading takes 2.5 times the file's size in memory, and several calls may run at once. */
const MOST_FILE_BYTES = 256 << 20;

export class GivenTools {
  #prefix;
  #roots;
  #report;

  static async of(lro, roots, report) {
    const tools = new GivenTools();
    tools.#prefix = lro.settings.tool_prefix ?? "";
    tools.#roots = roots.map(canonical);
    tools.#report = report;
    // Made by the build from the native command, whose definitions they are.
    const { tools: definitions } = await import("../../component/given-tools.js");
    tools.definitions = definitions.map((tool) => ({ ...tool, name: `${tools.#prefix}${tool.name}` }));
    return tools;
  }

  /** Executes a call: the text of its result. Undefined if it is a call of another tool. */
  async call(lro, name, callArguments) {
    const tool = { [`${this.#prefix}estimate`]: this.#estimate, [`${this.#prefix}offload`]: this.#offload }[name];
    if (!tool) return undefined;
    try {
      return await tool.call(this, lro, callArguments);
    } catch (error) {
      return failedCall(error);
    }
  }

  async #estimate(lro, callArguments) {
    checkKnown(callArguments, ["text", "file"]);
    const tokens = await lro.estimate({ payload: this.#text(callArguments), operation: OPERATION });
    const { threshold_characters, threshold_tokens } = lro.settings;
    // An estimate is in the unit of the threshold.
    return structured(JSON.stringify(threshold_characters == null ? { tokens, threshold_tokens } : { characters: tokens, threshold_characters }));
  }

  async #offload(lro, callArguments) {
    checkKnown(callArguments, ["text", "file", "operation", "query"]);
    const payload = this.#text(callArguments);
    const { session, input_tokens: inputTokens } = lro.settings.call ?? {};
    const operation = string(callArguments, "operation") ?? OPERATION;
    const { text, events } = await lro.offload({ payload, operation, query: string(callArguments, "query"), session, inputTokens });
    this.#report(events);
    return isObject(text) ? structured(text) : written({ content: [{ type: "text", text }] });
  }

  /** The text that the arguments give or name. */
  #text(callArguments) {
    const [text, file] = [string(callArguments, "text"), string(callArguments, "file")];
    if ((text === undefined) === (file === undefined)) throw new Error("cannot read the arguments: give either `text` or `file`");
    return text ?? this.#read(file);
  }

  /** Reads a file below one of the folders. Links are followed if and only if they lead there. */
  #read(file) {
    const refused = (why) => new Error(`cannot read \`${file}\`: ${why}`);
    const attempt = (action) => {
      try {
        return action();
      } catch (error) {
        throw refused(reason(error));
      }
    };
    const path = attempt(() => realpathSync(file));
    if (!this.#roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep))) {
      throw refused("it lies outside of the folders that the server was given (--root)");
    }
    const status = attempt(() => statSync(path));
    // Reading a pipe would wait for its other end.
    if (!status.isFile()) throw refused("it is not a regular file");
    if (status.size > MOST_FILE_BYTES) throw refused(`it has ${status.size} bytes, and at most ${MOST_FILE_BYTES} are read; split it`);
    const bytes = attempt(() => readFileSync(path));
    if (!isUtf8(bytes) || bytes.includes(0)) throw refused("it is not text in UTF-8");
    return bytes.toString();
  }
}

function canonical(root) {
  try {
    return realpathSync(root);
  } catch (error) {
    throw Failure.file(`open the folder \`${root}\``, error);
  }
}

/** A result whose structured content is this JSON text, with all digits of its numbers. */
function structured(text) {
  return `{"resultType":"complete","content":${JSON.stringify([{ type: "text", text }])},"structuredContent":${text},"isError":false}`;
}

/** The text of a result that says what went wrong: some clients keep errors of the protocol to themselves. */
export function failedCall({ message, hint }) {
  return written({ content: [{ type: "text", text: [message, hint].filter(Boolean).join("\n") }], isError: true });
}

function written(result) {
  return JSON.stringify({ resultType: "complete", ...result });
}

function isObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The string that an argument is, if it is there. */
function string(callArguments, key) {
  const value = callArguments[key] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new Error(`cannot read the arguments: \`${key}\` is not a string`);
}

function checkKnown(callArguments, known) {
  const unknown = Object.keys(callArguments).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`cannot read the arguments: \`${unknown}\` is not known; there are \`${known.join("`, `")}\``);
}
