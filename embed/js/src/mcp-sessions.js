// The sessions of conversations: the folders of their files, and what their models have read so far.

import { randomInt } from "node:crypto";

import { isSessionName, notAName } from "./session-names.js";

// Names are lower case for file systems that do not tell cases apart, and have 60 random bits: nobody guesses one.
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 12;

// Where a client says in the `_meta` of a request how many tokens its model has read.
const INPUT_TOKENS = "lro/inputTokens";

// The largest number that the component takes for tokens.
const MOST_TOKENS = 2 ** 32 - 1;

// The source's formula: four bytes are a token (GATE-04).
const BYTES_OF_A_TOKEN = 4;

// Sums of conversations that never end are forgotten, the oldest first.
const MOST_SESSIONS = 10_000;

export class Sessions {
  #given;
  #counts;
  #tokens = new Map();

  /** `given`: the name that all conversations have, or what names that of a request. `counts`: whether sums are needed. */
  constructor(given, counts) {
    this.#given = typeof given === "function" ? given : checked(given);
    this.#counts = counts;
  }

  /** Whether sums of what models have read are kept. */
  get counts() {
    return this.#counts;
  }

  /**
   * The session of a request, if it has one. `ofTransport` names that of its transport. Nothing tells which requests of
   * a stateless transport over HTTP belong together.
   */
  of(ofTransport, extra, transportSession) {
    if (typeof this.#given === "function") return checked(this.#given(extra));
    if (this.#given !== undefined) return this.#given;
    const isStateless = isOverHttp(extra) && transportSession === undefined;
    return isStateless ? undefined : ofTransport;
  }

  /** The tokens that a client says its model has read. They replace the sum. */
  said(session, meta) {
    const count = meta?.[INPUT_TOKENS];
    if (!this.#counts || !Number.isSafeInteger(count) || count < 0) return undefined;
    this.#remember(session, count);
    return count;
  }

  /** What the component is told of a call. `said`: what its client said. */
  call(session, said) {
    const inputTokens = this.#counts ? (this.#tokens.get(session) ?? said) : undefined;
    return { session, inputTokens: inputTokens && Math.min(inputTokens, MOST_TOKENS) };
  }

  /** Adds a result that was passed on. */
  passed(session, result) {
    if (this.#counts) this.#remember(session, (this.#tokens.get(session) ?? 0) + tokensOf(result));
  }

  #remember(session, tokens) {
    if (session === undefined) return;
    this.#tokens.delete(session);
    if (this.#tokens.size >= MOST_SESSIONS) this.#tokens.delete(this.#tokens.keys().next().value);
    this.#tokens.set(session, tokens);
  }

  forget(session) {
    this.#tokens.delete(session);
  }
}

/**
 * True for a message that came over HTTP: the SDK's transports say what the request was, in each of its versions by another
 * name. Other transports are on this machine.
 */
export function isOverHttp(extra) {
  return extra?.requestInfo !== undefined || extra?.request !== undefined;
}

/** A name for the folder of a conversation (USER-09). */
export function randomName() {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** A name of a folder, or nothing. */
function checked(name) {
  if (name === undefined || isSessionName(name)) return name;
  throw notAName("the option session is not a valid folder name");
}

/** What a model reads of a result: its texts, or its structured content where that is longer. */
function tokensOf({ content, structuredContent }) {
  const blocks = Array.isArray(content) ? content : [];
  const bytes = (text) => (typeof text === "string" ? Buffer.byteLength(text) : 0);
  const texts = blocks.reduce((sum, block) => sum + bytes(block?.text) + bytes(block?.resource?.text), 0);
  const structured = structuredContent === undefined ? 0 : bytes(JSON.stringify(structuredContent));
  return Math.ceil(Math.max(texts, structured) / BYTES_OF_A_TOKEN);
}
