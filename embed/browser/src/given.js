// How a result is given: a file, a text, or the sample.

import { told } from "./table.js";

const byId = (id) => document.getElementById(id);

/** A larger text does not fit the memory of the component beside its records. */
const MOST_BYTES = 256 << 20;

export class Given {
  #offload;

  /** Calls `offload` with a text, its bytes, and what is known of it. */
  constructor(offload) {
    this.#offload = offload;
    byId("sample").addEventListener("click", () => this.#take(() => sample(), "recall"));
    byId("file").addEventListener("change", ({ target }) => this.#takeFile(target.files[0]));
    byId("offload").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#takePasted();
    });
    this.#acceptDrops(byId("drop"));
  }

  tell(text) {
    byId("trouble").replaceChildren();
    byId("progress").textContent = text;
  }

  fail(error) {
    byId("progress").textContent = "";
    byId("trouble").replaceChildren(...told(error));
  }

  /** A file may be dropped anywhere; elsewhere the browser would leave the page for it. */
  #acceptDrops(zone) {
    const over = (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.toggle("over", event.type === "dragover");
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", over);
    addEventListener("drop", (event) => {
      over(event);
      void this.#takeFile(event.dataTransfer?.files[0]);
    });
  }

  #takeFile(file) {
    if (!file) return undefined;
    if (file.size > MOST_BYTES) {
      const message = `cannot take \`${file.name}\`: it has ${file.size} bytes, and at most ${MOST_BYTES} fit the page`;
      return this.fail({ message, hint: "The command `lro offload` takes larger ones." });
    }
    return this.#take(async () => new Uint8Array(await file.arrayBuffer()), undefined, file.name);
  }

  #takePasted() {
    const text = byId("paste").value;
    if (text === "") return this.fail({ message: "there is no text to offload", hint: "Paste one, drop a file, or try the sample." });
    return this.#take(async () => new TextEncoder().encode(text));
  }

  async #take(read, operation, name = "the text") {
    const threshold = byId("threshold");
    if (!threshold.reportValidity()) return;
    this.tell("Reading…");
    if (operation) byId("operation").value = operation;
    try {
      const bytes = await read();
      const known = { operation: byId("operation").value.trim() || "tool", threshold: Number(threshold.value) };
      await this.#offload({ text: decoded(bytes, name), bytes, ...known });
    } catch (error) {
      this.fail(error);
    }
  }
}

/** The text of some bytes, all of it: a byte order mark too. */
function decoded(bytes, name) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const hint = "The command `lro offload --encoding` reads other encodings.";
    throw Object.assign(new Error(`cannot read \`${name}\`: it is not UTF-8`), { hint });
  }
}

async function sample() {
  const file = await fetch("sample.json");
  if (!file.ok) throw new Error(`the sample is missing here (status ${file.status})`);
  return new Uint8Array(await file.arrayBuffer());
}
