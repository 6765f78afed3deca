// Standard output, to which lines are written without waiting for its reader.

export class Sink {
  #stream;
  #hasGone = false;

  /** Called when the reader stops reading, and when it goes on. */
  onFlow;

  /** `gone` is called when nobody reads any more. */
  constructor(stream, gone) {
    this.#stream = stream;
    stream.on("error", () => {
      if (this.#hasGone) return;
      this.#hasGone = true;
      gone();
    });
    stream.on("drain", () => this.onFlow?.());
  }

  /** True while the reader does not read. */
  get isFull() {
    return !this.#hasGone && this.#stream.writableNeedDrain;
  }

  send(line) {
    if (this.#hasGone) return;
    if (!this.#stream.write(line)) this.onFlow?.();
  }

  /** Resolves when everything has been written, or cannot be. */
  flushed() {
    if (this.#hasGone || this.#stream.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.once("error", resolve);
      this.#stream.write("", resolve);
    });
  }
}
