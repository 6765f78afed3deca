// Offloading in a server of the official MCP SDK: its large results go to files, and our tools are listed and executed.

import { AsyncLocalStorage } from "node:async_hooks";

import { untouched } from "./answers.js";
import { checkOptions, invalid, result } from "./given.js";
import { formOf } from "./json-form.js";
import { Conversation } from "./mcp-conversation.js";
import { Sessions } from "./mcp-sessions.js";
import { offloadingTransport } from "./mcp-transport.js";
import { openForTools, unlessUnavailable } from "./opening.js";
import { endAtExit, hasEnded, isDeletedAtEnd } from "./session-end.js";
import { isDue } from "./sweeps.js";
import { telling } from "./telling.js";

const HOUR_MS = 3_600_000;

/** The request that a tool is handling: its id is not unique where servers are made for each request. */
const handled = new AsyncLocalStorage();

/**
 * Lets every connection that `server` (an `McpServer` or a `Server`) makes from now on go through offloading. What became
 * of it is answered: `lro`, and `offload` for tools that decide by themselves.
 */
export async function offloadLargeResults(server, options = {}) {
  protocolOf(server);
  const offloading = await largeResults(options);
  offloading.attach(server);
  return offloading;
}

/** One offloading for many servers, for instance those that a handler makes for each request: `attach` takes a server. */
export async function largeResults(options = {}) {
  checkOptions(options, "the options of offloading");
  return unlessUnavailable(() => Offloading.open(options), () => new WithoutOffloading(), options.onEvent);
}

/** What connects, of either kind of server. */
function protocolOf(server) {
  const protocol = server?.server ?? server;
  if (typeof protocol?.connect === "function") return protocol;
  throw invalid("cannot offload for the server: it has no method connect, so pass an McpServer or a Server of the MCP SDK");
}

/** Used if the component or its directory cannot be used: everything passes. */
class WithoutOffloading {
  attach(server) {
    protocolOf(server);
    return server;
  }

  async offload(request) {
    const given = result(request);
    try {
      const text = typeof given === "string" ? given : (formOf(given) ?? "");
      return { outcome: "unchanged", text, result: given, estimatedTokens: 0, events: [] };
    } catch (error) {
      return untouched(error, given);
    }
  }

  async close() {}
}

class Offloading {
  #own;
  #ourTools;
  #off;
  #tell;
  #sharedFileSystem;
  #cleanupEveryMs;
  #sessions;
  #deletes;
  #conversations = new Set();
  #endings = new Set();
  #timer;
  #servers = 0;

  static async open(options) {
    const { sharedFileSystem, cleanupEveryMs = HOUR_MS, onEvent, session, sessionEnd, ...opening } = options;
    const offloading = new Offloading();
    offloading.#deletes = isDeletedAtEnd(session, sessionEnd);
    const { base, lro, own } = await openForTools(opening);
    offloading.lro = lro;
    offloading.#off = await base.with({ enabled: false });
    offloading.#own = own;
    offloading.#sessions = new Sessions(session, offloading.lro.settings.context_tokens != null);
    offloading.#ourTools = (await offloading.lro.mcpTools()).map(({ name }) => name);
    offloading.#sharedFileSystem = sharedFileSystem;
    offloading.#cleanupEveryMs = cleanupEveryMs;
    offloading.#tell = telling(onEvent);
    return offloading;
  }

  /** Lets every connection that a server makes from now on go through this offloading. Returns the server. */
  attach(server) {
    const protocol = protocolOf(server);
    this.#servers += 1;
    const connect = protocol.connect.bind(protocol);
    protocol.connect = (transport) => connect(this.#front(transport));
    return server;
  }

  /** The transport with offloading in front of it. */
  #front(transport) {
    const conversation = new Conversation({
      sharedFileSystem: this.#sharedFileSystem,
      offersTools: this.lro.settings.offer_tools,
      ourTools: this.#ourTools,
      sessions: this.#sessions,
    });
    this.#conversations.add(conversation);
    this.#startCleaning();
    return offloadingTransport(transport, conversation, {
      lro: this.lro,
      tell: this.#tell,
      sessions: this.#sessions,
      within: (id, call) => handled.run({ offloading: this, conversation, id }, call),
      wrote: (session) => this.#wrote(conversation, session),
      ended: () => this.#ended(conversation),
    });
  }

  /**
   * For a tool that decides by itself, for instance before it makes a cursor: like `lro.offload`, and nothing is offloaded
   * for a client that gets full results. `extra` is what the SDK hands to the tool.
   */
  async offload(request, extra) {
    const { conversation, known } = this.#asked(extra);
    const { isOff, session, said } = known ?? {};
    const answer = await (isOff ? this.#off : this.lro).offload({ ...this.#sessions.call(session, said), ...request });
    if (answer.fileName && conversation) this.#wrote(conversation, session);
    this.#tell(answer.events);
    return answer;
  }

  /** The conversation that a tool is called in, and what is known of the call. The SDK's second version calls the id otherwise. */
  #asked(extra) {
    const id = extra?.requestId ?? extra?.mcpReq?.id;
    const here = handled.getStore();
    if (here?.offloading === this) {
      const { conversation } = here;
      return { conversation, known: conversation.request(id ?? here.id) ?? conversation.request(here.id) };
    }
    const all = [...this.#conversations].filter((one) => one.isOf(extra?.sessionId));
    const conversation = all.find((one) => one.request(id));
    return { conversation, known: conversation?.request(id) };
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
    if (this.#cleanupEveryMs === 0) return;
    void this.#cleanIfDue();
    if (this.#timer) return;
    // A server that is forgotten without being closed is not kept by its timer.
    const inUse = new WeakRef(this);
    const timer = setInterval(() => (inUse.deref() ? void inUse.deref().#cleanIfDue() : clearInterval(timer)), this.#cleanupEveryMs);
    // A server that has nothing else to do may end.
    this.#timer = timer.unref();
  }

  /** A sweep reads a whole directory: once in a while, however many servers there are. */
  async #cleanIfDue() {
    if (isDue(this.lro.outputDir, this.#cleanupEveryMs)) await this.#clean();
  }

  async #clean(request) {
    try {
      this.#tell((await this.lro.cleanup(request)).events);
    } catch ({ case: name, message, hint }) {
      this.#tell([{ name: "CleanupFailed", message, fields: { case: name, message, hint } }]);
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
    // Where servers come and go, the threads stay for the next one.
    if (this.#conversations.size === 0 && this.#servers === 1) await this.#own?.rest();
  }

  /** GATE-18: what belongs to a session is deleted when the last conversation ends that uses it. */
  async #endSessions(conversation) {
    const inUse = new Set([...this.#conversations].flatMap(({ sessions }) => sessions));
    if (inUse.size === 0) hasEnded(this);
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
