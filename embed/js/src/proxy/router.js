// Decides what to do with a line from either side. Nothing is carried out here: the conversation goes on while results are
// offloaded elsewhere.

import { Conversation } from "../mcp-conversation.js";
import { announced, envelope, key, parameters } from "./envelope.js";
import { parsed, textAt } from "./json-text.js";
import { mayBeOurs } from "./our-tools.js";

/** The answer to a request with a longer id is passed on unseen. Ids in use are numbers and UUIDs. */
const MOST_ID_BYTES = 1024;

/** Requests without an answer that are remembered. */
const MOST_UNANSWERED = 10_000;

/** Answered requests that are remembered: a server that answers twice does so at once. */
const MOST_ANSWERED = 1024;

/** Arguments are kept for the header of a file, which says what was asked. Longer ones are not needed for that. */
const MOST_ARGUMENT_BYTES = 16 * 1024;

/** All arguments together. Without them results are still offloaded. */
const ALL_ARGUMENT_BYTES = 8 << 20;

/** A result with a task in it is short. */
const MOST_TASK_BYTES = 64 * 1024;

const FORWARD = { forward: true };

export class Router {
  #announces;
  #shortest;
  #ourTools;
  #resolves;
  #conversation;
  #unanswered = new Map();
  #answered = new Map();
  #argumentBytes = 0;

  constructor({ announces, shortest, resolves, sessions }) {
    this.#announces = announces;
    this.#shortest = shortest;
    this.#resolves = resolves;
    this.#conversation = new Conversation({ offersTools: true, ourTools: [], sessions });
  }

  /** What the component is told of a call. */
  get conversation() {
    return this.#conversation;
  }

  /** Learns what only the open component knows. */
  learn({ ourTools, shortest, resolves }) {
    this.#shortest = shortest;
    this.#resolves = resolves;
    this.rename(ourTools);
  }

  /** Learns the names of our tools. */
  rename(ourTools) {
    this.#ourTools = ourTools;
    this.#conversation.ourTools = ourTools;
  }

  /** The requests without an answer, by the texts of their ids. */
  get unanswered() {
    return [...this.#unanswered.values()].map(({ idText }) => idText);
  }

  /**
   * What to do with a line of the client: `forward` it, or another `line`; `answer` a call of one of our tools; `resolve` the
   * references of a call first; or wait until the component is open (`undecided`).
   */
  clientSays(line) {
    const message = envelope(line);
    if (message?.method === undefined) return FORWARD;
    const given = parameters(line, message.params);
    const sent = (this.#announces && announced(line, message)) || line;
    if (message.method === "notifications/cancelled") this.#cancelled(line, given.places);
    if (message.id === undefined) {
      this.#conversation.fromClient({ method: message.method, params: given });
      return { forward: true, line: sent };
    }
    if (message.method === "tools/call" && this.#isUndecided(given)) return { undecided: true };
    this.#answered.delete(message.id);
    return { ...this.#request(message, given), line: sent };
  }

  #isUndecided({ name, arguments: text = "" }) {
    if (typeof name !== "string") return false;
    return (this.#ourTools === undefined && mayBeOurs(name)) || (this.#resolves === undefined && mayRefer(text));
  }

  #request({ id, idText, method }, { arguments: text, places: _, ...given }) {
    // Of several requests with one id, the first is looked at.
    const isRemembered = id.length <= MOST_ID_BYTES && !this.#unanswered.has(id);
    const isCall = method === "tools/call";
    if (isCall && typeof given.name !== "string") return FORWARD;
    const isOurs = isCall && this.#ourTools?.includes(given.name);
    if (!isRemembered && !isOurs) return FORWARD;
    const callArguments = isOurs ? parsed(text ?? "{}") : this.#kept(text);
    const answer = this.#conversation.fromClient({ id, method, params: { ...given, arguments: callArguments } });
    if (answer) return { answer: { id: idText, call: answer } };
    this.#remember(id, { idText, bytes: callArguments?.length ?? 0 });
    const call = isCall && this.#resolves !== false && mayRefer(text ?? "") ? this.#conversation.request(id) : undefined;
    return call && !call.isOff ? { resolve: { id: idText, call, text: text ?? "{}" } } : FORWARD;
  }

  /** Arguments, as far as there is room for them. */
  #kept(text) {
    const fits = text !== undefined && text.length <= Math.min(MOST_ARGUMENT_BYTES, ALL_ARGUMENT_BYTES - this.#argumentBytes);
    return fits ? text : undefined;
  }

  #remember(id, request) {
    if (this.#unanswered.size >= MOST_UNANSWERED) this.#forgetKey(this.#unanswered.keys().next().value);
    this.#unanswered.set(id, request);
    this.#argumentBytes += request.bytes;
  }

  #forgetKey(id) {
    this.#argumentBytes -= this.#unanswered.get(id)?.bytes ?? 0;
    this.#unanswered.delete(id);
  }

  /** Nobody waits for its answer any more, but a server may send it all the same: it is then looked at. */
  #cancelled(line, places) {
    const id = places?.get("requestId");
    const request = id && this.#unanswered.get(key(textAt(line, id)));
    if (request) request.idText = undefined;
  }

  /** Stops waiting for the answer to a request, whose id is given as it is written. */
  forget(idText) {
    const id = key(idText);
    this.#forgetKey(id);
    this.#conversation.forget(id);
  }

  /** The id as the client wrote it: clients take a number that comes back as a text for the number. */
  #idAsked(id) {
    const isKnown = (id) => Boolean(this.#conversation.request(id)) || this.#answered.has(id);
    const number = /^"(-?\d+)"$/.exec(id)?.[1];
    return number !== undefined && !isKnown(id) && isKnown(number) ? number : id;
  }

  /** What is known of a request that is answered, perhaps once more. */
  #asked(id) {
    const asked = this.#conversation.request(id);
    if (!asked) return this.#answered.get(id);
    if (this.#answered.size >= MOST_ANSWERED) this.#answered.delete(this.#answered.keys().next().value);
    this.#answered.set(id, { ...asked, callArguments: undefined });
    return asked;
  }

  /** What to do with a line of the server: `forward` it, or `look` at the result at a place of it. */
  serverSays(line) {
    const message = envelope(line);
    if (!message || message.method !== undefined || message.id === undefined) return FORWARD;
    const id = this.#idAsked(message.id);
    this.#forgetKey(id);
    const { result: place } = message;
    const isShort = place && place[1] - place[0] <= MOST_TASK_BYTES;
    const result = isShort && line.includes('"taskId"') ? parsed(textAt(line, place)) : {};
    const expected = this.#asked(id);
    this.#conversation.fromServer({ id, result: place && (result ?? {}) });
    if (!expected || expected.isOff || !place) return FORWARD;
    if (expected.tool !== undefined && line.length <= this.#shortest(expected.tool)) return { forward: true, passed: { expected, place } };
    return { look: { expected, place } };
  }
}

/** True if arguments, as they are written, may have a reference in them: the component looks at those, and only at those. */
function mayRefer(text) {
  return text.includes("lro") || text.includes("\\u00");
}
