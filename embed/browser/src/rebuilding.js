// The whole result again, compared with what was given, byte for byte.

import { element, grouped } from "./elements.js";
import { told } from "./table.js";

const byId = (id) => document.getElementById(id);

export class Rebuilding {
  #component;
  #file;
  #given;
  #address;

  constructor(component) {
    this.#component = component;
    byId("restore").addEventListener("click", () => this.#rebuild());
  }

  /** The file to rebuild from now on, and the bytes that it comes from. */
  of(file, given) {
    [this.#file, this.#given] = [file, given];
    this.#tell();
  }

  async #rebuild() {
    const [file, given] = [this.#file, this.#given];
    this.#tell("Rebuilding…");
    try {
      const parts = [];
      const encoder = new TextEncoder();
      for await (const part of this.#component.rebuild(file)) parts.push(encoder.encode(part));
      if (file === this.#file) this.#show(parts, given);
    } catch (error) {
      this.#tell();
      byId("unrestored").replaceChildren(...told(error));
    }
  }

  #show(parts, given) {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const differs = difference(parts, given);
    const equal = differs === undefined ? "equal to what you gave, byte for byte" : `and differs from what you gave at byte ${grouped(differs)}`;
    this.#tell(`${grouped(bytes)} bytes, ${equal}. `, parts);
  }

  /** Says how it went, with the parts to be downloaded. */
  #tell(text = "", parts) {
    if (this.#address) URL.revokeObjectURL(this.#address);
    this.#address = parts && URL.createObjectURL(new Blob(parts, { type: "application/octet-stream" }));
    byId("unrestored").replaceChildren();
    const link = parts && element("a", { href: this.#address, download: "rebuilt.txt" }, "Download it");
    byId("restored").replaceChildren(text, ...(link ? [link] : []));
  }
}

/** Where parts in a row begin to differ from some bytes, if they do. */
function difference(parts, given) {
  let at = 0;
  for (const part of parts) {
    for (let place = 0; place < part.length; place++, at++) {
      if (part[place] !== given[at]) return at;
    }
  }
  return at === given.length ? undefined : at;
}
