// What is known of a conversation: which answers have to be handled, and whether its client gets full results. The component
// decides about results.

import { isOverHttp, randomName } from "./mcp-sessions.js";

// Requests and tasks that were never answered are forgotten, the oldest first.
const MOST_PENDING = 10_000;

// Where the stateless protocol says who the client is, in every request.
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

// Where a request says who wants its result.
const CALLER = "lro/caller";

export class Conversation {
  #sharedFileSystem;
  #offersTools;
  #ourTools;
  #sessions;
  #ownSession = randomName();
  #written = new Set();
  #pending = new Map();
  #tasks = new Map();
  #proxied = false;
  #client;
  #schemas = new Map();
  #sessionId;

  constructor({ sharedFileSystem, offersTools, ourTools, sessions }) {
    this.#sharedFileSystem = sharedFileSystem;
    this.#offersTools = offersTools;
    this.#ourTools = ourTools;
    this.#sessions = sessions;
  }

  /** The names of our tools, where they are known later or change. */
  set ourTools(names) {
    this.#ourTools = names;
  }

  /** Handles a message of the client. Answers it if it is a call of one of our tools. */
  fromClient(message, extra, sessionId) {
    const { id, method, params = {} } = message;
    this.#sessionId = sessionId;
    if (method === "initialize") {
      const { clientInfo, capabilities } = params;
      this.#proxied = saysProxy(clientInfo, capabilities);
      this.#client = clientOf(clientInfo, capabilities);
    }
    if (method === "notifications/cancelled") this.#pending.delete(params.requestId);
    if (id === undefined || method === undefined) return undefined;
    const isOff = this.#gets(params, extra) === "full results";
    const isOurs = method === "tools/call" && !isOff && this.#ourTools.includes(params.name);
    const expected = this.#expected(method, params);
    if (!expected) return undefined;
    const known = { ...expected, ...(isOff ? {} : this.#known(params, extra)), isOff };
    if (isOurs) return known;
    remember(this.#pending, id, known);
    return undefined;
  }

  /** What the result of a request is: `{ list: true }` or `{ tool, callArguments }`, or nothing that is looked at. */
  fromServer({ id, method, result }) {
    if (method !== undefined || id === undefined) return undefined;
    const expected = this.#pending.get(id);
    this.#pending.delete(id);
    if (!expected || expected.isOff || result === undefined) return undefined;
    const task = result.task?.taskId ?? result.taskId;
    if (task !== undefined && expected.tool) remember(this.#tasks, task, expected);
    return expected;
  }

  /** What is known of a call whose arguments may have references to our files. */
  referring({ id, method, params }) {
    const known = method === "tools/call" && id !== undefined ? this.#pending.get(id) : undefined;
    if (!known || known.isOff) return undefined;
    return JSON.stringify(params?.arguments ?? {}).includes("lro") ? known : undefined;
  }

  /** Stops waiting for the answer to a request. */
  forget(id) {
    this.#pending.delete(id);
  }

  /** Notes the input schemas of a page of the list of tools. */
  listed(tools) {
    for (const { name, inputSchema } of tools ?? []) remember(this.#schemas, name, inputSchema);
  }

  /** What the component is told of a call beside its session. */
  about({ tool, client, caller }) {
    return { inputSchema: this.#schemas.get(tool), client, caller };
  }

  /** What is known of a request that has not been answered. */
  request(requestId) {
    return this.#pending.get(requestId);
  }

  /** True if it is the conversation of a session of its transport. */
  isOf(sessionId) {
    return sessionId === this.#sessionId;
  }

  /** Notes that there are files in the folder of a session. */
  wrote(session) {
    if (session !== undefined) this.#written.add(session);
  }

  /** The sessions whose folders have files of this conversation. */
  get sessions() {
    return [...this.#written];
  }

  /** The session of a request, and what its client says that the model has read. */
  #known({ _meta }, extra) {
    const session = this.#sessions.of(this.#ownSession, extra, this.#sessionId);
    const ofRequest = clientOf(_meta?.[CLIENT_INFO], _meta?.[CLIENT_CAPABILITIES]);
    return { session, said: this.#sessions.said(session, _meta), client: ofRequest ?? this.#client, caller: named(_meta?.[CALLER]) };
  }

  #expected(method, { name, arguments: callArguments, taskId }) {
    if (method === "tools/list") return { list: true };
    if (method === "tools/call") return { tool: name, callArguments };
    if (method === "tasks/result" || method === "tasks/get") return this.#tasks.get(taskId);
    return undefined;
  }

  /** Decision 30. */
  #gets({ _meta: meta = {} }, extra) {
    const isProxied = this.#proxied || saysProxy(meta[CLIENT_INFO], meta[CLIENT_CAPABILITIES]);
    const isShared = this.#sharedFileSystem ?? !isOverHttp(extra);
    return isProxied || !(isShared || this.#offersTools) ? "full results" : "responses";
  }
}

/** The client as the component reads it. */
function clientOf(clientInfo, capabilities) {
  return clientInfo || capabilities ? { clientInfo, capabilities } : undefined;
}

function named(caller) {
  return typeof caller === "string" ? caller : undefined;
}

function saysProxy(clientInfo, capabilities) {
  return clientInfo?.proxy === true || Boolean(capabilities?.experimental?.proxy);
}

function remember(map, key, value) {
  if (map.size >= MOST_PENDING) map.delete(map.keys().next().value);
  map.set(key, value);
}
