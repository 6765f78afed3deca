// The component in a sandbox: decide, offload, extract, clean up.

import * as answers from "./answers.js";
import { Engine } from "./engine.js";
import { LroError } from "./error.js";
import { resultOf } from "./exact.js";
import { SCHEME, StoredDirectory } from "./stored-directory.js";
import { GRANTED } from "./disk.js";
import { isSmall, threshold } from "./gates.js";
import * as given from "./given.js";
import { CLEANING_MS, SHORT_MS, messageTime, offloadingTime, readingTime, truncatingTime } from "./limits.js";
import { fileOf, filesIn } from "./named-files.js";
import { toContract } from "./names.js";
import * as directories from "./output-directory.js";
import { pagesOf } from "./pages.js";
import { sessionName } from "./session-names.js";
import { Session, within } from "./session.js";
import { resolved, withStore } from "./settings.js";
import * as summaries from "./summaries.js";
import { isDue } from "./sweeps.js";
import { wrapped } from "./wrapping.js";

export { LroError };

export class Lro {
  #engine;
  #directory;
  #stored;
  #resolved;
  #options;
  #settings;
  #timeoutMs;
  #offloadTimeoutMs;

  /** Loads the component, resolves the settings and creates the output directory. */
  static async open(asked) {
    const { ownThreads, component, ...options } = given.options(asked, "the options of Lro.open");
    given.checkComponent(component);
    const engine = await Engine.load({ ownThreads, component });
    try {
      return await Lro.#with(engine, options);
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** The same component with other options, without loading it again. Closing either closes both. */
  reopen(options = {}) {
    return Lro.#with(this.#engine, given.options(options, "the options of reopen"));
  }

  /** The same with these options changed. */
  with(changes) {
    return Lro.#with(this.#engine, { ...this.#options, ...changes });
  }

  /**
   * The same for one call over MCP, with what is known of it, which replaces the setting `call`. Closing either closes both.
   */
  forCall(call) {
    const lro = new Lro();
    lro.#engine = this.#engine;
    lro.#options = { ...this.#options, call };
    lro.#timeoutMs = this.#timeoutMs;
    lro.#offloadTimeoutMs = this.#offloadTimeoutMs;
    lro.#directory = this.#directory;
    lro.#stored = this.#stored;
    const known = { call: toContract(given.options(call, "what is known of a call")) };
    lro.#resolved = { ...this.#resolved, ...known };
    lro.#settings = { ...this.#settings, ...known };
    return lro;
  }

  static async #with(engine, options) {
    const lro = new Lro();
    lro.#engine = engine;
    lro.#options = options;
    await lro.#configure(options);
    return lro;
  }

  async #configure(options) {
    given.check(options);
    const { timeoutMs, offloadTimeoutMs, storeTimeoutMs, storePartBytes, ...others } = options;
    this.#timeoutMs = timeoutMs;
    this.#offloadTimeoutMs = offloadTimeoutMs;
    this.#resolved = await resolved(this.#engine, withStore(others));
    const { output_dir, public_dir, prefix, ttl_seconds } = this.#resolved;
    const hasStore = typeof others.store === "object" && others.store !== null;
    if (hasStore) {
      this.#stored = new StoredDirectory(others.store, { timeoutMs: storeTimeoutMs, partBytes: storePartBytes, prefix, ttlSeconds: ttl_seconds });
    } else {
      this.#directory = output_dir ? directories.prepare(output_dir) : directories.prepareDefault();
    }
    const isOther = public_dir && public_dir !== output_dir && !hasStore;
    this.#settings = { ...this.#resolved, output_dir: GRANTED, public_dir: isOther ? public_dir : (this.#directory ?? SCHEME) };
  }

  /** The output directory, canonical; undefined where results are in a store. */
  get outputDir() {
    return this.#directory;
  }

  /** The settings as they were resolved, every key present. */
  get settings() {
    return structuredClone(this.#resolved);
  }

  async estimate(request) {
    const { timeoutMs, ...asked } = given.request(request, "estimate");
    const texts = given.payloadAndRequest(summaries.apart(asked).request);
    const limits = { operation: "estimating", milliseconds: timeoutMs ?? this.#offloadTime(texts[0]) };
    return this.#engine.write(this.#directory, ["offloader", "estimate"], [...texts, this.#settingsText], limits);
  }

  async offload(request) {
    const { timeoutMs, ...asked } = given.request(request, "offload");
    const result = given.result(asked);
    let text = "";
    try {
      const answer = await this.#decided(asked, timeoutMs, (payload) => (text = payload));
      const isWritten = answer.outcome === "truncated" || (answer.outcome === "offloaded" && answer.content === undefined);
      return isWritten ? { ...answer, events: [...answer.events, ...(await this.#sweep())] } : answer;
    } catch (error) {
      if (error instanceof given.WithoutForm) return answers.untouched(error, result);
      if (error.case === "invalid-argument") throw error;
      return isSmall(text, this.#resolved) ? answers.untouched(error, result, text) : answers.withheld(error);
    }
  }

  /** What becomes of a result. `read` is told its text. */
  async #decided(asked, timeoutMs, read) {
    const { request, functions } = summaries.apart(asked);
    let [text, requestText] = given.payloadAndRequest(request);
    read(text);
    let told = [];
    if (functions.length > 0 && (await this.#mayBeOffloaded({ ...request, timeoutMs }))) {
      const document = typeof given.result(asked) === "string" ? summaries.read(text) : given.result(asked);
      const { request: complete, events } = await summaries.added(request, functions, document);
      [requestText, told] = [given.payloadAndRequest(complete)[1], events];
    }
    const answer = await this.#offloaded(["offloader", "offload"], [text, requestText], text, timeoutMs);
    return answers.offloading(answer, asked.payload ?? text, given.result(asked), told);
  }

  async #mayBeOffloaded(request) {
    const most = threshold(this.#resolved);
    return most === undefined || (await this.estimate(request)) > most;
  }

  /** The function, with what it returns going through `offload`: it returns its own value, the response, or a text. */
  wrap(fn, options) {
    return wrapped(this, fn, options);
  }

  /** A folder of its own for the files of a stretch of work. It is emptied when the session is closed. */
  session(name) {
    return new Session(this, name);
  }

  /** Calls a function with a session, and closes it at the end. Returns what the function returns. */
  async withSession(name, fn) {
    return within(this.session(name), fn);
  }

  async extract(asked) {
    const { filePath, content, timeoutMs, ...request } = given.request(asked, "extract");
    // A program wants values; `raw: null` asks for the recipe's own form.
    const raw = request.raw === undefined ? false : request.raw;
    const source = this.#source(filePath, content);
    const texts = [source, given.extraction({ ...request, raw }), this.#settingsText];
    const how = request.into ? "write" : "read";
    const page = await this.#at(how, source, (directory, bytes) => {
      const limits = { operation: "extraction", milliseconds: timeoutMs ?? this.#time(bytes) };
      return this.#engine[how](directory, ["offloader", "extract"], texts, limits);
    });
    return answers.extraction(page, raw);
  }

  async *extractAll(request) {
    yield* pagesOf(this, given.request(request, "extractAll"));
  }

  async read(request) {
    return answers.page(await this.#lines("reading", "read", given.request(request, "read")));
  }

  async search(request) {
    return answers.page(await this.#lines("searching", "search", given.request(request, "search")));
  }

  async describe(source) {
    return JSON.parse(await this.#read("describing", ["documents", "describe"], given.request(source, "describe")));
  }

  async rebuild(source) {
    return this.#read("rebuilding", ["documents", "rebuild"], given.request(source, "rebuild"));
  }

  async listFiles(request = {}) {
    if (this.#stored) throw given.invalid("cannot list the files: the results are in a key-value store; look into the store itself");
    const limits = { operation: "listing", milliseconds: CLEANING_MS };
    const texts = [given.json(given.options(request, "the options of listFiles")), this.#settingsText];
    return JSON.parse(await this.#engine.read(this.#directory, ["documents", "listFiles"], texts, limits));
  }

  async copies(source) {
    return JSON.parse(await this.#read("keeping", ["documents", "copies"], given.request(source, "copies")));
  }

  async cleanup(asked) {
    const request = given.options(asked, "the options of cleanup");
    // A name that got lost on its way would mean the files of all, of which these keys delete some that have not expired.
    const takesFresh = request.all === true || ["maxFiles", "maxBytes"].some((key) => Number.isFinite(request[key]));
    if (takesFresh && Object.hasOwn(request, "session")) sessionName(request.session, "clean up");
    if (this.#stored) return this.#stored.clean(request);
    const shared = directories.isShared(this.#directory) ? { sharedDirectory: true } : {};
    const texts = [given.json({ ...request, ...shared }), this.#settingsText];
    const cleaning = await this.#engine.write(this.#directory, ["offloader", "cleanup"], texts, { operation: "cleanup", milliseconds: CLEANING_MS });
    return { ...cleaning, events: cleaning.events.map(answers.event) };
  }

  /** Settings from a TOML file's text, variables and explicit values, every key present. */
  async resolve(sources) {
    const asked = given.options(sources, "the sources of resolve");
    given.check(asked);
    return resolved(this.#engine, asked);
  }

  /** The tools that this component offers, as MCP Tool objects. */
  async mcpTools() {
    const limits = { operation: "listing tools", milliseconds: SHORT_MS };
    return JSON.parse(await this.#engine.read(this.#directory, ["mcp", "tools"], [this.#settingsText], limits));
  }

  /**
   * Executes a call of one of these tools and returns a CallToolResult. It has no structured content where numbers in it would
   * lose digits: its texts have all of them.
   */
  async mcpCall(name, callArguments) {
    return resultOf(await this.mcpCallText(name, callArguments));
  }

  /** The same as the JSON text of the result. */
  async mcpCallText(name, callArguments = {}) {
    const file = fileOf(callArguments, this.#settings.call.session);
    const texts = [String(name), given.message(callArguments, "the call's arguments"), this.#settingsText];
    try {
      return await this.#at("read", { tag: "file", val: this.#present(file) }, (directory, bytes) =>
        this.#engine.read(directory, ["mcp", "call"], texts, { operation: "extraction", milliseconds: this.#time(bytes) }),
      );
    } catch (error) {
      // The model that sent the filter can fix it, and wait for a store.
      if (error.case !== "limit-reached" && error.case !== "io") throw error;
      return answers.mistake(error);
    }
  }

  /** Offloads another tool's CallToolResult, an object or its text, if it is large. Returns the text to send instead, if there is one. */
  async mcpOffloadResult(tool, callArguments, result) {
    const text = given.toolResult(result);
    const texts = [String(tool), given.message(callArguments ?? "", "the call's arguments"), text];
    try {
      const answer = await this.#offloaded(["mcp", "offloadResult"], texts, text, this.#offloadTimeoutMs ?? messageTime(text.length));
      const { message: rewriting, fileName, sectionFileNames, events } = answer;
      const swept = fileName === undefined ? [] : await this.#sweep();
      return { message: answers.rewriting(rewriting), fileName, sectionFileNames, events: [...events.map(answers.event), ...swept] };
    } catch (error) {
      if (error.case === "invalid-argument") throw error;
      if (isSmall(text, this.#resolved)) return { message: undefined, sectionFileNames: [], events: [answers.failure(error)] };
      return answers.withheldResult(error);
    }
  }

  /** Changes the answer to `tools/list`, an object or its text. Returns the text to send instead, if there is one. */
  async mcpOffloadTools(list) {
    const texts = [given.message(list, "the list of tools"), this.#settingsText];
    const limits = { operation: "rewriting the list of tools", milliseconds: SHORT_MS };
    return answers.rewriting(await this.#engine.read(this.#directory, ["mcp", "offloadTools"], texts, limits));
  }

  /**
   * Replaces references to our files in the arguments of another tool, an object or its text, by the data that they mean.
   * Returns the text to send instead, if there is one. An error is to be answered with a result that has `isError`.
   */
  async mcpResolveArguments(tool, callArguments = {}) {
    const text = given.message(callArguments, "the call's arguments");
    const { session } = this.#settings.call;
    const named = (file) => (this.#stored && session && !file.includes("/") ? `${session}/${file}` : file);
    const files = [...new Set(filesIn(text).map((file) => this.#present(named(file))))];
    const texts = [String(tool), text, this.#settingsText];
    const answer = await this.#reading(files, (directory, bytes) => {
      const limits = { operation: "resolving arguments", milliseconds: this.#time(bytes + text.length) };
      return this.#engine.read(directory, ["mcp", "resolveArguments"], texts, limits);
    });
    return answers.rewriting(answer);
  }

  /** Lets the threads end soon, unless another `Lro` of this process uses them. The next call starts them again. */
  async rest() {
    await this.#engine.rest();
  }

  /** Calls that have not been answered fail, and the threads end, unless another `Lro` of this process uses them. */
  async close() {
    await this.#engine.close();
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  get #settingsText() {
    return JSON.stringify(this.#settings);
  }

  /**
   * The answer to an offload of `text`. One that is stopped is asked for once more, only to be truncated: what is large is
   * never passed on because offloading it failed.
   */
  async #offloaded(method, texts, text, timeoutMs) {
    const operation = "offloading";
    const limits = { operation, milliseconds: timeoutMs ?? this.#offloadTime(text) };
    const given = [...texts, this.#settingsText];
    if (!this.#stored) directories.restore(this.#directory);
    try {
      if (!this.#stored) return await this.#engine.write(this.#directory, method, given, limits);
      return await this.#stored.writing([], (directory) => this.#engine.write(directory, method, given, limits));
    } catch (error) {
      if (error.case === "invalid-argument") throw error;
      // A store that fails is answered as a directory is that is not there.
      if (error.case === "io" && this.#stored) return answers.unstored(await this.#engine.write(undefined, method, given, limits), error);
      const settings = JSON.stringify({ ...this.#settings, truncate_reason: error.message });
      const short = { operation, milliseconds: truncatingTime(text.length) };
      const answer = await this.#engine.truncate(method, [...texts, settings], short).catch(() => {
        // The reason why it was stopped says more than the reason why it could not be truncated.
        throw error;
      });
      return { ...answer, events: answers.withFailure(answer.events, error) };
    }
  }

  /** Deletes what has expired, after a write, and returns the events. A sweep that fails says nothing: the result counts. */
  async #sweep() {
    if (this.#stored) return [];
    if (!isDue(`${this.#directory} quick`, SWEEP_MS)) return [];
    const { events } = await this.cleanup({ quick: true }).catch(() => ({ events: [] }));
    return events;
  }

  #offloadTime(text) {
    return this.#offloadTimeoutMs ?? offloadingTime(text.length);
  }

  #source(filePath, content) {
    return given.source({ filePath, content }, (file) => this.#present(file));
  }

  #present(file) {
    return this.#stored ? file : directories.present(this.#directory, file);
  }

  #time(bytes) {
    return this.#timeoutMs ?? readingTime(bytes);
  }

  /** Calls a function with the directory that a source is in, and the source's bytes. */
  #at(how, { tag, val }, call) {
    const files = tag === "file" ? [val] : [];
    if (how === "write" && this.#stored) return this.#stored.writing(files, call);
    if (how === "write") directories.restore(this.#directory);
    return tag === "content" ? call(this.#directory, val.length) : this.#reading(files, call);
  }

  #reading(files, call) {
    if (this.#stored) return this.#stored.reading(files, call);
    return call(this.#directory, files.reduce((sum, file) => sum + directories.size(this.#directory, file), 0));
  }

  /** A call of the interface `reader`. */
  #lines(operation, name, { filePath, content, timeoutMs, ...request }) {
    const source = this.#source(filePath, content);
    const texts = [source, given.json(request), this.#settingsText];
    return this.#at("read", source, (directory, bytes) =>
      this.#engine.read(directory, ["reader", name], texts, { operation, milliseconds: timeoutMs ?? this.#time(bytes) }),
    );
  }

  #read(operation, method, { filePath, content }) {
    const source = this.#source(filePath, content);
    return this.#at("read", source, (directory, bytes) =>
      this.#engine.read(directory, method, [source, this.#settingsText], { operation, milliseconds: this.#time(bytes) }),
    );
  }
}

/** A process that writes sweeps every five minutes at most. */
const SWEEP_MS = 300_000;
