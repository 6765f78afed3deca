// Offloading in a server of the official MCP SDK: its large results go to files, and our tools are listed and executed.

import { Lro, LroError } from "./index.js";
import { Conversation } from "./mcp-conversation.js";
import { Sessions } from "./mcp-sessions.js";
import { OffloadingTransport } from "./mcp-transport.js";

const HOUR_MS = 3_600_000;

/**
 * Lets every connection that `server` (an `McpServer` or a `Server`) makes from now on go through offloading. What became
 * of it is answered: `lro`, and `offload` for tools that decide by themselves.
 */
export async function offloadLargeResults(server, options = {}) {
  const offloading = await opened(options);
  const protocol = server.server ?? server;
  const connect = protocol.connect.bind(protocol);
  protocol.connect = (transport) => connect(offloading.attach(transport));
  return offloading;
}

/** Reports invalid options at once. A problem of this machine does not end the server. */
async function opened(options) {
  try {
    return await Offloading.open(options);
  } catch (error) {
    if (!["io", "unusable"].includes(error.case)) throw error;
    const { case: name, message, hint } = error;
    const tell = options.onEvent ?? logged;
    tell({ name: "OffloadingUnavailable", message: `nothing is offloaded: ${message}`, fields: { case: name, message, hint } });
    return new WithoutOffloading();
  }
}

const told = new Set();

/** Once for each reason: some servers are made for each request. */
function logged({ message }) {
  if (told.has(message)) return;
  told.add(message);
  console.error(`lro: ${message}`);
}

/** Used if the component or its directory cannot be used: everything passes. */
class WithoutOffloading {
  attach(transport) {
    return transport;
  }

  async offload({ payload, value, records }) {
    const result = value === undefined ? (payload ?? records) : value;
    return { outcome: "unchanged", text: typeof result === "string" ? result : JSON.stringify(result), result, estimatedTokens: 0, events: [] };
  }

  async close() {}
}

class Offloading {
  #own;
  #ourTools;
  #off;
  #onEvent;
  #sharedFileSystem;
  #cleanupEveryMs;
  #sessions;
  #deletes;
  #conversations = new Set();
  #endings = new Set();
  #timer;

  static async open({ lro: given, sharedFileSystem, cleanupEveryMs = HOUR_MS, onEvent = () => {}, session, sessionEnd, ...options }) {
    const offloading = new Offloading();
    offloading.#deletes = isDeletedAtEnd(session, sessionEnd);
    const base = given ?? (await Lro.open(options));
    // Decision 9: the guidance points to the tool if and only if it is offered.
    offloading.lro = await base.with({
      guidance: base.settings.offer_tools ? "tool" : "shell",
      defaults: options.defaults ?? "agent",
    });
    offloading.#off = await base.with({ enabled: false });
    offloading.#own = given ? undefined : base;
    offloading.#sessions = new Sessions(session, offloading.lro.settings.context_tokens != null);
    offloading.#ourTools = (await offloading.lro.mcpTools()).map(({ name }) => name);
    offloading.#sharedFileSystem = sharedFileSystem;
    offloading.#cleanupEveryMs = cleanupEveryMs;
    offloading.#onEvent = onEvent;
    return offloading;
  }

  /** The transport with offloading in front of it. */
  attach(transport) {
    const conversation = new Conversation({
      sharedFileSystem: this.#sharedFileSystem,
      offersTools: this.lro.settings.offer_tools,
      ourTools: this.#ourTools,
      sessions: this.#sessions,
    });
    this.#conversations.add(conversation);
    this.#startCleaning();
    return new OffloadingTransport(transport, conversation, {
      lro: this.lro,
      tell: (events) => events.forEach(this.#onEvent),
      sessions: this.#sessions,
      wrote: (session) => this.#wrote(conversation, session),
      ended: () => this.#ended(conversation),
    });
  }

  /**
   * For a tool that decides by itself, for instance before it makes a cursor: like `lro.offload`, and nothing is offloaded
   * for a client that gets full results. `extra` is what the SDK hands to the tool.
   */
  async offload(request, extra) {
    const conversations = [...this.#conversations];
    const conversation = conversations.find((one) => one.request(extra?.requestId, extra?.sessionId));
    const { isOff, session, said } = conversation?.request(extra.requestId, extra.sessionId) ?? {};
    const answer = await (isOff ? this.#off : this.lro).offload({ ...this.#sessions.call(session, said), ...request });
    if (answer.fileName && conversation) this.#wrote(conversation, session);
    answer.events.forEach(this.#onEvent);
    return answer;
  }

  /** Ends cleaning up, the sessions, and the component's threads where they were started here. */
  async close() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.end();
    await this.#own?.close();
  }

  /** Ends the sessions of all conversations. */
  async end() {
    const conversations = [...this.#conversations];
    this.#conversations.clear();
    conversations.forEach((conversation) => void this.#endSessions(conversation));
    await Promise.all(this.#endings);
  }

  #startCleaning() {
    if (this.#timer || this.#cleanupEveryMs === 0) return;
    void this.#clean();
    // A server that is forgotten without being closed is not kept by its timer.
    const inUse = new WeakRef(this);
    const timer = setInterval(() => (inUse.deref() ? void inUse.deref().#clean() : clearInterval(timer)), this.#cleanupEveryMs);
    // A server that has nothing else to do may end.
    this.#timer = timer.unref();
  }

  async #clean(request) {
    try {
      (await this.lro.cleanup(request)).events.forEach(this.#onEvent);
    } catch ({ case: name, message, hint }) {
      this.#onEvent({ name: "CleanupFailed", message, fields: { case: name, message, hint } });
    }
  }

  /** An offload that ends after its conversation leaves nothing behind either. */
  #wrote(conversation, session) {
    conversation.wrote(session);
    if (!this.#deletes) return;
    endAtExit(this);
    if (!this.#conversations.has(conversation)) void this.#endSessions(conversation);
  }

  async #ended(conversation) {
    this.#conversations.delete(conversation);
    if (this.#conversations.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    await this.#endSessions(conversation);
    if (this.#conversations.size === 0) await this.#own?.rest();
  }

  /** GATE-18: what belongs to a session is deleted when the last conversation ends that uses it. */
  async #endSessions(conversation) {
    const inUse = new Set([...this.#conversations].flatMap(({ sessions }) => sessions));
    if (inUse.size === 0) ending.delete(this);
    const over = this.#deletes ? conversation.sessions.filter((session) => !inUse.has(session)) : [];
    const deleted = over.map((session) => {
      this.#sessions.forget(session);
      return this.#clean({ session, all: true });
    });
    const all = Promise.all(deleted);
    this.#endings.add(all);
    await all;
    this.#endings.delete(all);
  }
}

/** A session that has been given a name is one that a client resumes. */
function isDeletedAtEnd(session, end = session === undefined ? "delete" : "keep") {
  if (["delete", "keep"].includes(end)) return end === "delete";
  throw new LroError({ case: "invalid-argument", message: 'sessionEnd is "delete" or "keep"' });
}

/** Those whose sessions have files. Over standard input and output the SDK does not say when a conversation ends. */
const ending = new Set();
let isWatched = false;

function endAtExit(offloading) {
  ending.add(offloading);
  if (isWatched) return;
  isWatched = true;
  process.on("beforeExit", () => ending.forEach((each) => void each.end()));
}
