// What is known of a message that is too long to be held: its top-level members, which say whose answer it is. They may come
// before the long part or after it, so all of it is scanned.

import { parsed } from "./json-text.js";

/** Longer ids and names are not kept. */
const MOST_BYTES = 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

export class Outline {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isOther = false;
  #isValue = false;
  #name = "";
  #text = [];
  #hasAnswer = false;

  /** The id as it is written, if it is known. */
  id;
  hasId = false;
  /** True for what wants an answer. */
  isRequest = false;

  get isAnswer() {
    return this.#hasAnswer && !this.isRequest;
  }

  /** True when nothing that follows would change what is done. */
  get isEnough() {
    return this.#isOther || (this.id !== undefined && (this.isRequest || this.#hasAnswer));
  }

  add(bytes) {
    for (let at = 0; at < bytes.length && !this.isEnough; at++) this.#take(bytes[at]);
  }

  #take(byte) {
    if (this.#isInString) {
      this.#isInString = this.#isEscaped || byte !== QUOTE;
      this.#isEscaped = !this.#isEscaped && byte === BACKSLASH;
      return this.#keep(byte);
    }
    if (byte === QUOTE) {
      this.#isInString = true;
      this.#keep(byte);
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      this.#isOther ||= this.#depth === 0 && byte === OPEN_LIST;
      this.#keep(byte);
      this.#depth++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      this.#depth = Math.max(0, this.#depth - 1);
      if (this.#depth === 0) this.#endMember();
      else this.#keep(byte);
    } else if (byte === COLON && this.#depth === 1 && !this.#isValue) {
      this.#beginValue();
    } else if (byte === COMMA && this.#depth === 1) {
      this.#endMember();
    } else if (byte > SPACE) {
      this.#isOther ||= this.#depth === 0;
      this.#keep(byte);
    }
  }

  /** Keeps only what is directly at the top level. */
  #keep(byte) {
    if (this.#depth === 1 && this.#text.length <= MOST_BYTES) this.#text.push(byte);
  }

  #beginValue() {
    this.#name = Buffer.from(this.#text).toString();
    this.#text = [];
    this.#isValue = true;
    this.hasId ||= this.#name === '"id"';
    this.isRequest ||= this.#name === '"method"';
    this.#hasAnswer ||= this.#name === '"result"' || this.#name === '"error"';
  }

  #endMember() {
    const text = Buffer.from(this.#text).toString();
    this.#text = [];
    this.#isValue = false;
    // Of a list or an object only the brackets are here. An answer repeats the id, so it must be JSON.
    const isId = this.#name === '"id"' && text.length <= MOST_BYTES && !/^[{[]/.test(text);
    if (isId && (parsed(text) ?? null) !== null) this.id = text;
    this.#name = "";
  }
}
