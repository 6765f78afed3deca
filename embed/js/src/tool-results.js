// Offloading for an agent, whatever its framework is: large results of its tools go to files, and it gets our tools.

import { failure } from "./answers.js";
import { resultOf } from "./exact.js";
import { checkOptions, invalid } from "./given.js";
import { jsonText, kindOf } from "./json-form.js";
import { Sessions, randomName } from "./mcp-sessions.js";
import { openForTools, unlessUnavailable } from "./opening.js";
import { inMcp, textOf } from "./result-forms.js";
import { endAtExit, hasEnded, isDeletedAtEnd } from "./session-end.js";
import { telling } from "./telling.js";

// Windows that models have turn up again: as many settings are kept.
const MOST_WINDOWS = 16;

// Tools of a server that offloads by itself.
const OFFLOADERS = /lro_(describe|extract|read|search)$/;

export class ToolResults {
  #lro;
  #own;
  #tools = [];
  #sessions;
  #session = randomName();
  #deletes;
  #written = new Set();
  #windows = new Map();
  #tell = telling();

  /** One object for one agent: its files are in a folder of its own, which our tools do not leave. */
  static async open(options = {}) {
    checkOptions(options, "the options of ToolResults.open");
    return unlessUnavailable(() => ToolResults.#open(options), () => new ToolResults(), options.onEvent);
  }

  static async #open({ onEvent, session, sessionEnd, contextTokens, ...opening }) {
    const results = new ToolResults();
    results.#deletes = isDeletedAtEnd(session, sessionEnd);
    const given = contextTokens === "model" ? undefined : contextTokens;
    const { lro, own } = await openForTools({ ...opening, ...(given === undefined ? {} : { contextTokens: given }) });
    results.#lro = lro;
    results.#own = own;
    results.#tell = telling(onEvent);
    results.#tools = await lro.mcpTools();
    results.takesWindow = contextTokens === "model";
    results.#sessions = new Sessions(session, results.takesWindow || lro.settings.context_tokens != null);
    return results;
  }

  /** Undefined if this machine has no room for our files: every result passes then. */
  get lro() {
    return this.#lro;
  }

  /** Our tools, as MCP Tool objects. */
  get tools() {
    return this.#tools;
  }

  /** True for a tool like ours, whatever stands before its name. Its answers pass. */
  isOurs(name) {
    return OFFLOADERS.test(name) || this.#tools.some((tool) => name.endsWith(tool.name));
  }

  /** Two tools cannot have one name. */
  checkNames(names) {
    const taken = this.#tools.find(({ name }) => names.includes(name));
    if (taken) throw invalid(`there is a tool \`${taken.name}\` already: pass toolPrefix, such as "agent_", or offerTools: false`);
  }

  /** Executes a call of one of our tools: a result of MCP. */
  async call(name, callArguments, about) {
    try {
      if (!this.#lro) throw invalid(`cannot call \`${name}\`: the agent's results are closed`);
      const { lro, session } = await this.#lroFor(about);
      const result = await lro.mcpCall(name, callArguments ?? {});
      this.#sessions.passed(session, result);
      return result;
    } catch ({ message, hint }) {
      return { content: [{ type: "text", text: [message, hint].filter(Boolean).join("; ") }], isError: true };
    }
  }

  /** The same as text. `fails` for a framework that wants an error thrown. */
  async callText(name, callArguments, about, { fails = false } = {}) {
    const result = await this.call(name, callArguments, about);
    if (fails && result.isError) throw new Error(textOf(result));
    return textOf(result);
  }

  /**
   * What replaces a result of another tool in the same form, or the very result if it stays. What goes wrong here never
   * fails a call.
   */
  async offloadResult(tool, callArguments, value, about) {
    if (value === undefined || !this.#lro || this.isOurs(tool)) return value;
    const form = inMcp(value);
    if (!form) {
      this.#tell([failure(invalid(`the result of \`${tool}\` has no JSON form: it is ${kindOf(value)}`))]);
      return value;
    }
    try {
      const { lro, session } = await this.#lroFor(about);
      const { message, fileName, events } = await lro.mcpOffloadResult(tool, written(callArguments), form.result);
      if (fileName) this.#wrote(session);
      this.#tell(events);
      const replaced = message === undefined ? form.result : resultOf(message);
      this.#sessions.passed(session, replaced);
      return message === undefined ? value : form.back(replaced);
    } catch (error) {
      this.#tell([failure(error)]);
      return value;
    }
  }

  /** Deletes the files of its sessions, unless they are kept, and closes `lro` unless it was given. Then every result passes. */
  async close() {
    await this.end();
    this.#lro = undefined;
    await this.#own?.close();
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  /** Deletes the files of its sessions, unless they are kept. */
  async end() {
    hasEnded(this);
    const sessions = this.#deletes ? [...this.#written] : [];
    this.#written.clear();
    const lro = this.#lro;
    const deleted = await Promise.allSettled(sessions.map((session) => lro.cleanup({ session, all: true })));
    deleted.forEach(({ value, reason }) => this.#tell(value ? value.events : [failure(reason)]));
  }

  /**
   * The component with what is known of a call: `context` is what the framework hands to a tool, which the option `session`
   * may name the session by; `inputTokens` and `contextTokens` are what the framework knows of the model.
   */
  async #lroFor({ context, inputTokens, contextTokens } = {}) {
    const session = this.#sessions.of(this.#session, context, this.#session);
    const known = Number.isSafeInteger(inputTokens) && inputTokens > 0 ? { inputTokens } : {};
    const lro = this.takesWindow && contextTokens > 0 ? await this.#within(contextTokens) : this.#lro;
    return { lro: lro.forCall({ ...this.#sessions.call(session), ...known }), session };
  }

  #within(contextTokens) {
    if (this.#windows.size >= MOST_WINDOWS) this.#windows.clear();
    if (!this.#windows.has(contextTokens)) this.#windows.set(contextTokens, this.#lro.with({ contextTokens }));
    return this.#windows.get(contextTokens);
  }

  #wrote(session) {
    if (!this.#deletes || session === undefined) return;
    this.#written.add(session);
    endAtExit(this);
  }
}

/** The arguments of a call as JSON. What a response says of them is not worth a result. */
function written(callArguments) {
  try {
    return jsonText(callArguments ?? {}) ?? "{}";
  } catch {
    return "{}";
  }
}
