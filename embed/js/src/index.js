// The component in a sandbox: decide, offload, extract, clean up.

import { tmpdir } from "node:os";

import * as answers from "./answers.js";
import { Engine } from "./engine.js";
import { LroError } from "./error.js";
import { GRANTED } from "./grant.js";
import { readingTime } from "./limits.js";
import { toContract } from "./names.js";
import * as directories from "./output-directory.js";

export { LroError };

/** Only variables with a prefix may hold settings, so only those are shown to the component: this one, unless another is set. */
const VARIABLES = "ATLATL_PROMPT__OFFLOAD__";

export class Lro {
  #engine;
  #directory;
  #resolved;
  #options;
  #settingsText;
  #timeoutMs;

  /** Loads the component, resolves the settings and makes the output directory. */
  static async open(options = {}) {
    const engine = await Engine.load();
    try {
      return await Lro.#with(engine, options);
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** The same component with other options, without loading it again. Closing either closes both. */
  reopen(options = {}) {
    return Lro.#with(this.#engine, options);
  }

  /** The same with these options changed. */
  with(changes) {
    return Lro.#with(this.#engine, { ...this.#options, ...changes });
  }

  static async #with(engine, options) {
    const lro = new Lro();
    lro.#engine = engine;
    lro.#options = options;
    await lro.#configure(options);
    return lro;
  }

  async #configure({ timeoutMs, settingsText = "", environment = {}, outputDir, tools, ...others }) {
    const explicit = toContract({ ...others, output_dir: outputDir });
    if (tools) explicit.tools = Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, toContract(tool)]));
    this.#timeoutMs = timeoutMs;
    this.#resolved = await this.#resolve(settingsText, environment, explicit);
    const { output_dir, public_dir } = this.#resolved;
    this.#directory = directories.prepare(output_dir || tmpdir());
    const isOther = public_dir && public_dir !== output_dir;
    const settings = { ...this.#resolved, output_dir: GRANTED, public_dir: isOther ? public_dir : this.#directory };
    this.#settingsText = JSON.stringify(settings);
  }

  /** The output directory, canonical. */
  get outputDir() {
    return this.#directory;
  }

  /** The settings as they were resolved, every key present. */
  get settings() {
    return structuredClone(this.#resolved);
  }

  async estimate(asked) {
    const given = [...payloadAndRequest(asked), this.#settingsText];
    return this.#engine.write(this.#directory, ["offloader", "estimate"], given, { operation: "estimating" });
  }

  async offload(asked) {
    const given = [...payloadAndRequest(asked), this.#settingsText];
    try {
      const answer = await this.#engine.write(this.#directory, ["offloader", "offload"], given, { operation: "offloading" });
      return answers.offloading(answer, given[0]);
    } catch (error) {
      if (error.code === "invalid-argument") throw error;
      return answers.unchanged(given[0], error);
    }
  }

  async extract({ filePath, content, timeoutMs, ...request }) {
    // Values are what a program wants; who wants the recipe's own form says `raw: null`.
    const raw = request.raw === undefined ? false : request.raw;
    const source = this.#source(filePath, content);
    const given = [source, json({ ...request, raw }), this.#settingsText];
    const how = request.into ? "write" : "read";
    const limits = { operation: "extraction", milliseconds: timeoutMs ?? this.#time(source) };
    return answers.extraction(await this.#engine[how](this.#directory, ["offloader", "extract"], given, limits), raw);
  }

  async describe({ filePath, content }) {
    return JSON.parse(await this.#read("describing", ["documents", "describe"], filePath, content));
  }

  async rebuild({ filePath, content }) {
    return this.#read("rebuilding", ["documents", "rebuild"], filePath, content);
  }

  async cleanup(request = {}) {
    const shared = directories.isShared(this.#directory) ? { sharedDirectory: true } : {};
    const given = [json({ ...request, ...shared }), this.#settingsText];
    const cleaning = await this.#engine.write(this.#directory, ["offloader", "cleanup"], given, { operation: "cleanup" });
    return { ...cleaning, events: cleaning.events.map(answers.event) };
  }

  /** The tools that this component offers, as MCP Tool objects. */
  async mcpTools() {
    return JSON.parse(await this.#engine.read(this.#directory, ["mcp", "tools"], [this.#settingsText], { operation: "listing tools" }));
  }

  /** Answers a call of one of these tools with a CallToolResult. */
  async mcpCall(name, callArguments = {}) {
    const file = typeof callArguments?.file_path === "string" ? callArguments.file_path : "";
    const limits = { operation: "extraction", milliseconds: this.#time({ tag: "file", val: directories.present(this.#directory, file) }) };
    const given = [name, JSON.stringify(callArguments), this.#settingsText];
    try {
      return JSON.parse(await this.#engine.read(this.#directory, ["mcp", "call"], given, limits));
    } catch (error) {
      if (error.code !== "limit-reached") throw error;
      // The model that has sent the filter can mend it.
      return { content: [{ type: "text", text: [error.message, error.hint].filter(Boolean).join("; ") }], isError: true };
    }
  }

  /** What becomes of another tool's CallToolResult, an object or its text: the text to send instead, if there is one. */
  async mcpOffloadResult(tool, callArguments, result) {
    const given = [tool, callArguments === undefined ? "" : JSON.stringify(callArguments), message(result), this.#settingsText];
    try {
      const answer = await this.#engine.write(this.#directory, ["mcp", "offloadResult"], given, { operation: "offloading" });
      const { message: rewriting, fileName, sectionFileNames } = answer;
      return { replaced: answers.rewriting(rewriting), fileName, sectionFileNames, events: answer.events.map(answers.event) };
    } catch (error) {
      if (error.code === "invalid-argument") throw error;
      return { sectionFileNames: [], events: [answers.failure(error)] };
    }
  }

  /** What has to change in the answer to `tools/list`, an object or its text: the text to send instead, if there is one. */
  async mcpOffloadTools(list) {
    const given = [message(list), this.#settingsText];
    const answer = await this.#engine.read(this.#directory, ["mcp", "offloadTools"], given, { operation: "rewriting the list of tools" });
    return answers.rewriting(answer);
  }

  /** Ends the threads; calls that have not been answered fail. */
  async close() {
    await this.#engine.close();
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  async #resolve(settingsText, environment, explicit) {
    const prefix = explicit.environment_prefix ?? VARIABLES;
    const variables = Object.entries(environment).filter(([name, value]) => name.startsWith(prefix) && value !== undefined);
    const given = [settingsText, variables, JSON.stringify(explicit)];
    return JSON.parse(await this.#engine.write(undefined, ["configuration", "resolve"], given, { operation: "resolving the settings" }));
  }

  #source(filePath, content) {
    if ((filePath === undefined) === (content === undefined)) {
      throw invalid("exactly one of filePath and content says what to look at");
    }
    if (content !== undefined) return { tag: "content", val: content };
    return { tag: "file", val: directories.present(this.#directory, filePath) };
  }

  #time({ tag, val }) {
    return this.#timeoutMs ?? readingTime(tag === "content" ? val.length : directories.size(this.#directory, val));
  }

  #read(operation, method, filePath, content) {
    const source = this.#source(filePath, content);
    const limits = { operation, milliseconds: this.#time(source) };
    return this.#engine.read(this.#directory, method, [source, this.#settingsText], limits);
  }
}

/** A result is given as its text, or as records; beside a text, `records` says where in it they are. */
function payloadAndRequest({ payload, ...request }) {
  if (payload !== undefined) {
    if (typeof payload !== "string") throw invalid(`payload is the result's text, not ${typeof payload}: pass values as records`);
    return [payload, json(request)];
  }
  const { records, ...others } = request;
  if (!Array.isArray(records)) throw invalid("there is no result: pass its text as payload, or an array as records");
  return [JSON.stringify(records), json(others)];
}

function json(request) {
  return JSON.stringify(toContract(request));
}

/** The text of an MCP object. Text is passed on as it is: numbers and keys keep their spelling. */
function message(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function invalid(message) {
  return new LroError({ code: "invalid-argument", message });
}
