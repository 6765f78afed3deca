// Results in a key-value store with the interface of Keyv, so that every process that has the store reads what any of them
// stored.
//
// A result is a record under its name, and parts under `NAME.1`, `NAME.2`, …, because most stores limit a value. The record
// is written first and deleted last. A name is given to nobody before all its parts are written, and a result that lacks a
// part is not read. The store deletes all of them when their time is over.

import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";

import { LroError } from "./error.js";
import { invalid } from "./given.js";

/** What the `file_path` of a stored result begins with, in place of a directory. */
export const SCHEME = "lro://";

const TIMEOUT_MS = 5_000;

/** In base64 this is 342 KiB: the smallest limit of the stores that are in use is 400 KB, that of DynamoDB. */
const PART_BYTES = 256 << 10;

/** A large result gets one second more for each 4 MiB that travel. */
const BYTES_A_MS = (4 << 20) / 1000;

/** Parts on their way at the same time. */
const AT_ONCE = 8;

const CLEANING_MS = 60_000;

/** The longest time of node's timers. */
const MOST_MS = 2 ** 31 - 1;

/** Each store that was heard for errors once: Keyv tells an error to those who listen, and returns as if nothing was there. */
const heard = new WeakMap();

export class ResultStore {
  #store;
  #timeoutMs;
  #partBytes;

  constructor(store, { timeoutMs = TIMEOUT_MS, partBytes = PART_BYTES } = {}) {
    if (!["get", "set", "delete"].every((name) => typeof store[name] === "function")) {
      throw invalid("store is a Keyv, or an object with its get, set and delete");
    }
    for (const [name, value] of Object.entries({ storeTimeoutMs: timeoutMs, storePartBytes: partBytes })) {
      if (!(Number.isInteger(value) && value > 0 && value <= MOST_MS)) throw invalid(`${name} is an integer from 1 to ${MOST_MS}`);
    }
    this.#store = store;
    this.#timeoutMs = timeoutMs;
    this.#partBytes = partBytes;
    listen(store);
  }

  /** Stores the files of one document, all of them or nothing: texts by name. */
  async put(files, ttlMs) {
    const names = [...files.keys()];
    const packed = await Promise.all([...files.values()].map((bytes) => promisify(deflate)(bytes, { level: 1 })));
    const entries = names.map((name, place) => ({ name, bytes: files.get(name).length, parts: this.#parts(packed[place]) }));
    const records = new Map(
      entries.map(({ name, bytes, parts }, place) => [name, { bytes, packedBytes: packed[place].length, parts: parts.length, files: names }]),
    );
    const put = async () => {
      for (const { name, parts } of entries) {
        await this.#set(keyOf(name), records.get(name), ttlMs);
        await inTurns(parts, (part, place) => this.#set(`${keyOf(name)}.${place + 1}`, part.toString("base64"), ttlMs));
      }
    };
    try {
      await this.#within(`store \`${SCHEME}${names.at(-1)}\``, put, packed.reduce((sum, { length }) => sum + length, 0));
    } catch (error) {
      // Nobody waits for that, and what stays expires.
      this.#delete(records).catch(() => {});
      throw error;
    }
  }

  /** The files of the document that a file belongs to, by name; none if the store does not have the file, or not all of it. */
  async get(name) {
    const operation = `read \`${SCHEME}${name}\``;
    const record = await this.#within(operation, () => this.#record(name));
    if (!record) return new Map();
    const others = record.files.filter((other) => other !== name);
    const records = new Map([[name, record], ...(await this.#within(operation, () => this.#records(others)))]);
    const moved = [...records.values()].reduce((sum, { packedBytes }) => sum + packedBytes, 0);
    const get = () => inTurns([...records], async ([file, known]) => [file, await this.#content(file, known)]);
    const found = (await this.#within(operation, get, moved)).filter(([, content]) => content !== undefined);
    const files = new Map(found);
    return files.has(name) ? files : new Map();
  }

  /** Deletes results. Returns how many there were, and their bytes. */
  async delete(names) {
    const remove = async () => {
      const records = await this.#records(names);
      await this.#delete(records);
      return { deleted: records.size, freedBytes: [...records.values()].reduce((sum, { bytes }) => sum + bytes, 0) };
    };
    return this.#within("delete results", remove, 0, CLEANING_MS);
  }

  #parts(packed) {
    const count = Math.ceil(packed.length / this.#partBytes);
    return Array.from({ length: count }, (_, place) => packed.subarray(place * this.#partBytes, (place + 1) * this.#partBytes));
  }

  async #record(name) {
    const record = await this.#value(keyOf(name));
    if (record === undefined) return undefined;
    const isOurs = Array.isArray(record?.files) && [record.bytes, record.packedBytes, record.parts].every(Number.isSafeInteger);
    if (!isOurs) throw new Error("the store has something else under this name");
    return record;
  }

  /** The records of those names that have one. */
  async #records(names) {
    const found = await inTurns(names, async (name) => [name, await this.#record(name).catch(ignoreForeign)]);
    return new Map(found.filter(([, record]) => record));
  }

  async #content(name, { parts, bytes }) {
    const keys = Array.from({ length: parts }, (_, place) => `${keyOf(name)}.${place + 1}`);
    const found = await inTurns(keys, (key) => this.#value(key));
    if (found.some((part) => typeof part !== "string")) return undefined;
    const packed = Buffer.concat(found.map((part) => Buffer.from(part, "base64")));
    const content = await promisify(inflate)(packed, { maxOutputLength: bytes + 1 }).catch(() => undefined);
    return content?.length === bytes ? content : undefined;
  }

  async #delete(records) {
    for (const [name, { parts }] of records) {
      const keys = Array.from({ length: parts }, (_, place) => `${keyOf(name)}.${place + 1}`);
      await inTurns(keys, (key) => this.#told(() => this.#store.delete(key)));
      await this.#told(() => this.#store.delete(keyOf(name)));
    }
  }

  async #value(key) {
    const value = await this.#told(() => this.#store.get(key));
    return value === null ? undefined : value;
  }

  async #set(key, value, ttlMs) {
    const isSet = await this.#told(() => this.#store.set(key, value, ttlMs));
    if (isSet === false) throw new Error("the store did not take a value");
  }

  /** What an operation returns; throws the error that the store only tells those who listen. */
  async #told(operation) {
    const errors = heard.get(this.#store);
    const before = errors.count;
    const value = await operation();
    // With a value that was read, the error is that of another call. What was written may be lost although it returns true.
    if (errors.count > before && (value === undefined || typeof value === "boolean")) throw errors.last;
    return value;
  }

  async #within(operation, work, movedBytes = 0, milliseconds = this.#timeoutMs) {
    const limit = Math.ceil(milliseconds + movedBytes / BYTES_A_MS);
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the store did not answer within ${limit} ms`)), limit);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      const reason = (String(error?.message ?? error) || "it failed").split("\n")[0];
      const hint = "try again in a moment; if that does not help, the operator of the server has to look at its store";
      throw new LroError({ case: "io", message: `cannot ${operation}: ${reason}`, hint }, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Counts the errors that a store tells. Without a listener node would end the process for one. */
function listen(store) {
  if (heard.has(store)) return;
  const errors = { count: 0, last: undefined };
  heard.set(store, errors);
  store.on?.("error", (error) => {
    errors.count += 1;
    errors.last = error instanceof Error ? error : new Error(String(error));
  });
}

function ignoreForeign(error) {
  if (error.message !== "the store has something else under this name") throw error;
}

/** The key of a name such as `SESSION/NAME`. Some stores do not take a slash; neither part has a tilde. */
function keyOf(name) {
  return name.replace("/", "~");
}

/** The answers of calls, some of which run at the same time. */
async function inTurns(values, call) {
  const answers = [];
  for (let start = 0; start < values.length; start += AT_ONCE) {
    const turn = values.slice(start, start + AT_ONCE);
    answers.push(...(await Promise.all(turn.map((value, place) => call(value, start + place)))));
  }
  return answers;
}
