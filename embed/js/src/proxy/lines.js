// Lines as both sides send them: any bytes, ended by a newline or by the end of the stream. Of those that are too long to be
// held, only what is needed for an answer is kept.

import { Outline } from "./outline.js";

const NEWLINE = 0x0a;

export class Lines {
  #most;
  #take;
  #tooLong;
  #pieces = [];
  #length = 0;
  #outline;
  #isTold = false;

  /** `take` gets each line with its end, the last one may have none; `tooLong` the outline of one above `most` bytes, once. */
  constructor(most, take, tooLong) {
    this.#most = most;
    this.#take = take;
    this.#tooLong = tooLong;
  }

  add(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#piece(chunk.subarray(start, end + 1));
      this.#end();
      start = end + 1;
    }
    if (start < chunk.length) this.#piece(chunk.subarray(start));
  }

  /** The stream has ended. */
  end() {
    if (this.#length > 0) this.#end();
  }

  #piece(piece) {
    this.#length += piece.length;
    if (!this.#outline && this.#length <= this.#most) return void this.#pieces.push(piece);
    if (!this.#outline) {
      this.#outline = new Outline();
      for (const earlier of this.#pieces.splice(0)) this.#outline.add(earlier);
    }
    this.#outline.add(piece);
    if (this.#outline.isEnough) this.#tell();
  }

  #tell() {
    if (!this.#isTold) this.#tooLong(this.#outline);
    this.#isTold = true;
  }

  #end() {
    const [first, ...others] = this.#pieces.splice(0);
    const outline = this.#outline;
    this.#length = 0;
    if (outline) this.#tell();
    this.#outline = undefined;
    this.#isTold = false;
    if (!outline) this.#take(others.length === 0 ? first : Buffer.concat([first, ...others]));
  }
}
