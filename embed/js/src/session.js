// A folder of its own for the files of a stretch of work, emptied at its end (SECTION-03, SECTION-09).

export class Session {
  #lro;

  constructor(lro, name) {
    this.#lro = lro;
    this.name = name;
  }

  offload(request) {
    return this.#lro.offload({ ...request, session: this.name });
  }

  wrap(fn, options) {
    return this.#lro.wrap(fn, { ...options, session: this.name });
  }

  extract(request) {
    return this.#lro.extract(request);
  }

  /** Deletes its files. */
  close() {
    return this.#lro.cleanup({ session: this.name, maxFiles: 0 });
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }
}
