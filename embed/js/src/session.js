// A folder of its own for the files of a stretch of work, emptied at its end (SECTION-03, SECTION-09).

import { invalid } from "./given.js";
import { sessionName } from "./session-names.js";

export class Session {
  #lro;
  #name;

  constructor(lro, name) {
    this.#name = sessionName(name, "open");
    this.#lro = lro;
  }

  get name() {
    return this.#name;
  }

  offload(request) {
    return this.#lro.offload({ ...request, session: this.#name });
  }

  wrap(fn, options) {
    return this.#lro.wrap(fn, { ...options, session: this.#name });
  }

  extract(request) {
    return this.#lro.extract(request);
  }

  /** Deletes its files. */
  async close() {
    return this.#lro.cleanup({ session: sessionName(this.#name, "close"), maxFiles: 0 });
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }
}

/** What a function returns that is called with a session, which is closed at its end. */
export async function within(session, fn) {
  if (typeof fn !== "function") throw invalid("withSession takes a function");
  let result;
  try {
    result = await fn(session);
  } catch (error) {
    await session.close().catch((failure) => warn(session, failure));
    throw error;
  }
  await session.close();
  return result;
}

/** Why the work failed says more than why its files stay. */
function warn({ name }, { message }) {
  process.emitWarning(`the session \`${name}\` was not emptied, so its files stay until they expire: ${message}`, { type: "LroWarning" });
}
