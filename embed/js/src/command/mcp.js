// `mcp`: an MCP server over standard input and output with the extraction tools for a directory, and estimate and offload for
// texts and files.

import { randomName, Sessions } from "../mcp-sessions.js";
import { Lines } from "../proxy/lines.js";
import { failed, response } from "../proxy/envelope.js";
import { isDeletedAtEnd } from "../session-end.js";
import { Events } from "./events.js";
import { report } from "./failure.js";
import { failedCall, GivenTools } from "./given-tools.js";
import { read } from "./messages.js";
import { remark } from "./output.js";
import { EVENTS, OUTPUT_DIR, PROFILE, SESSION_FLAGS, THRESHOLD, TOOL_NAMES, hasOtherSources, sources } from "./settings.js";
import { Sink } from "./sink.js";
import { VERSION } from "./version.js";
import { number } from "./values.js";

export const ABOUT = "Serve the extraction tools, estimate and offload over MCP on standard input and output";

export const FLAGS = [
  { ...OUTPUT_DIR, help: "The directory with the files, created if missing [default: lro-UID in the temporary directory]" },
  { name: "root", key: "roots", value: "DIR", repeats: true, help: "Let lro_estimate and lro_offload read files below this folder" },
  THRESHOLD,
  TOOL_NAMES,
  PROFILE,
  { name: "max-message", value: "BYTES", read: number, help: "Answer messages of the client that are longer than this with an error [default: 67108864]" },
  ...SESSION_FLAGS,
  EVENTS,
];

export const NATIVE_FLAGS = ["ledger", "store"];

export const EXAMPLES = `
Example:
  lro mcp --output-dir ./results --root ./logs`;

const MOST_MESSAGE_BYTES = 64 << 20;

/** The protocols with a handshake, the newest first, and the stateless one. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const STATELESS = "2026-07-28";

/** Where the stateless protocol says in every request which version it is. */
const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

const CAPABILITIES = { tools: {} };
const INFO = { name: "lro", version: VERSION };
const INSTRUCTIONS = "Results that are too large to show are put into files; lro_extract reads them.";

export async function run(flags) {
  return new Server(flags).ended;
}

/** An error that the client is told as one of the protocol. */
class ProtocolError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

class Server {
  #flags;
  #events;
  #session;
  #sessions;
  #tools;
  #lro;
  #client;
  #calls = new Map();
  #heldBytes = 0;
  #mostBytes;
  #hasEnded;

  ended = new Promise((resolve) => (this.#hasEnded = resolve));

  constructor(flags) {
    this.#flags = flags;
    this.#mostBytes = flags.maxMessage ?? MOST_MESSAGE_BYTES;
    this.#events = new Events(flags.events);
    const hasSession = flags.session !== undefined || flags.sessionEnd !== undefined;
    // It serves a directory: a session of its own is asked for.
    this.#session = hasSession ? (flags.session ?? randomName()) : undefined;
    const options = { ...sources(flags), ...settings(flags) };
    this.#sessions = new Sessions(flags.session, flags.contextTokens !== undefined || hasOtherSources(options));
    this.#client = new Sink(process.stdout, () => void this.#end(0));
    this.#tools = this.#open(options);
    this.#tools.catch((error) => this.#end(report(error, flags.jsonErrors === true)));
    this.#listen();
  }

  async #open(options) {
    const { Lro } = await import("../index.js");
    const lro = (this.#lro = await Lro.open(options));
    const given = await GivenTools.of(lro, this.#flags.roots ?? [], (events) => this.#events.report(events));
    return { lro, given, list: [...(await lro.mcpTools()), ...given.definitions] };
  }

  #listen() {
    const lines = new Lines(this.#mostBytes, (line) => this.#said(line), (outline) => this.#tooLong(outline));
    process.stdin.on("data", (chunk) => lines.add(chunk));
    const ended = async () => {
      lines.end();
      await Promise.allSettled([...this.#calls.values(), this.#tools]);
      await this.#client.flushed();
      await this.#end(0);
    };
    process.stdin.once("end", () => void ended());
    process.stdin.once("error", () => void ended());
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void this.#end(128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal]));
  }

  #tooLong(outline) {
    const message = `the request has more than ${this.#mostBytes} bytes: give a file instead of a text, or raise --max-message`;
    this.#problem({ code: -32600, message }, outline);
  }

  #said(line) {
    const { message, problem, outline } = read(line);
    if (problem) return this.#problem(problem, outline);
    if (!message) return undefined;
    if (message.method === "notifications/cancelled") return void this.#calls.delete(JSON.stringify(message.params?.requestId));
    if (message.id === undefined || message.method === undefined) return undefined;
    const key = JSON.stringify(message.id);
    const answered = this.#answer(message, line.length).then((text) => {
      // A request that was cancelled gets no answer.
      if (this.#calls.get(key) === answered) this.#client.send(text);
    }).finally(() => {
      if (this.#calls.get(key) === answered) this.#calls.delete(key);
    });
    this.#calls.set(key, answered);
    return undefined;
  }

  /** Nobody waits for an answer to a notification, and a client that repeats what it gets would cause an endless exchange. */
  #problem({ code, message }, outline) {
    if (outline.isAnswer || (outline.isRequest && !outline.hasId)) return remark(`a line of the client is left out: ${message}`);
    return this.#client.send(failed(outline.id ?? "null", code, message));
  }

  async #answer({ id, method, params = {} }, bytes) {
    this.#hold(bytes);
    try {
      return response(JSON.stringify(id), await this.#result(method, params));
    } catch (error) {
      return failed(JSON.stringify(id), error instanceof ProtocolError ? error.code : INTERNAL_ERROR, error.message);
    } finally {
      this.#hold(-bytes);
    }
  }

  /** No line is read while calls hold too much. */
  #hold(bytes) {
    this.#heldBytes += bytes;
    if (this.#heldBytes > this.#mostBytes) process.stdin.pause();
    else process.stdin.resume();
  }

  /** The text of a result. Those of tools are passed on as text, with all digits of their numbers. */
  async #result(method, params) {
    if (method === "tools/call") return this.#call(params);
    const result = await this.#resultOf(method, params);
    const isStateless = params._meta?.[PROTOCOL_VERSION] >= STATELESS;
    return JSON.stringify(isStateless ? { resultType: "complete", ...result } : result);
  }

  async #resultOf(method, params) {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: VERSIONS.includes(params.protocolVersion) ? params.protocolVersion : VERSIONS[0],
          capabilities: CAPABILITIES,
          serverInfo: INFO,
          instructions: INSTRUCTIONS,
        };
      case "server/discover":
        return {
          resultType: "complete",
          supportedVersions: [...VERSIONS].reverse().concat(STATELESS),
          capabilities: CAPABILITIES,
          instructions: INSTRUCTIONS,
          ttlMs: 0,
          cacheScope: "private",
          _meta: { [SERVER_INFO]: INFO },
        };
      case "ping":
        return {};
      case "tools/list": {
        const fresh = params._meta?.[PROTOCOL_VERSION] >= STATELESS ? { ttlMs: 0, cacheScope: "private" } : {};
        return { tools: (await this.#tools).list, ...fresh };
      }
      default:
        throw new ProtocolError(METHOD_NOT_FOUND, `there is no method \`${method}\``);
    }
  }

  async #call({ name, arguments: callArguments = {}, _meta }) {
    if (typeof name !== "string" || typeof callArguments !== "object" || callArguments === null || Array.isArray(callArguments)) {
      throw new ProtocolError(INVALID_PARAMS, "the parameters of `tools/call` do not have the form that it asks for");
    }
    const { lro, given } = await this.#tools;
    const said = this.#sessions.said(this.#session, _meta);
    const forCall = lro.forCall(this.#sessions.call(this.#session, said));
    const result = (await given.call(forCall, name, callArguments)) ?? (await this.#extraction(forCall, name, callArguments));
    if (this.#sessions.counts) this.#sessions.passed(this.#session, JSON.parse(result));
    return result;
  }

  async #extraction(lro, name, callArguments) {
    try {
      return await lro.mcpCallText(name, callArguments);
    } catch (error) {
      // The name of the tool is not ours.
      if (error.case === "invalid-argument") throw new ProtocolError(INVALID_PARAMS, error.message);
      return failedCall(error);
    }
  }

  async #end(status) {
    await this.#endSession();
    this.#hasEnded(status);
    process.exit(status);
  }

  /** Deletes the session's files, if they end with it (GATE-18). */
  async #endSession() {
    const { session, sessionEnd } = this.#flags;
    if (this.#session === undefined || !isDeletedAtEnd(session, sessionEnd)) return;
    // Nothing is there to be deleted before the component is open.
    await this.#lro?.cleanup({ session: this.#session, all: true }).catch(() => {});
  }
}

function settings({ outputDir, thresholdTokens, toolNames, profile, contextTokens, session }) {
  return {
    outputDir,
    thresholdTokens,
    toolNames,
    profile,
    contextTokens,
    guidance: "tool",
    defaults: "agent",
    // Who calls `lro_offload` wants a file.
    minSaving: null,
    call: session === undefined ? undefined : { session },
  };
}
