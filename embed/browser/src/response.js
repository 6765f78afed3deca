// What the model gets instead of a result, and what it costs.

import { element, grouped, shown } from "./elements.js";

const byId = (id) => document.getElementById(id);

/** The page shows this much of an answer. */
const SHOWN_CHARACTERS = 100_000;

export class Response {
  #texts = [];
  #tokens = [];
  #inline = 0;
  #isOffloaded = false;

  constructor() {
    byId("forms").addEventListener("change", () => this.#draw());
  }

  /** Shows the answers to an offload of `payload`, one for each form. */
  async show(component, answers, payload) {
    const [{ outcome, estimatedTokens }] = answers;
    this.#isOffloaded = outcome.tag === "offloaded";
    this.#inline = estimatedTokens;
    this.#texts = answers.map((answer) => textOf(answer.outcome, payload));
    const estimates = this.#isOffloaded ? this.#texts.map((text) => component.estimate(`[${text}]`, { operation: "response" })) : [];
    this.#tokens = await Promise.all(estimates);
    this.#draw();
  }

  /** The response about a file, for a model with a shell. */
  of(file) {
    const response = JSON.parse(this.#texts[0]);
    const section = (response.sections ?? []).find(({ file_path: path }) => path?.endsWith(file));
    return section ?? response;
  }

  #draw() {
    const form = Number(document.querySelector("input[name=form]:checked").value);
    const text = this.#texts[form];
    byId("forms").hidden = byId("indented").hidden = !this.#isOffloaded;
    byId("text").textContent = shown(this.#isOffloaded ? JSON.stringify(JSON.parse(text), null, 2) : text, SHOWN_CHARACTERS);
    byId("cost").replaceChildren(...(this.#isOffloaded ? this.#cost(this.#tokens[form]) : [element("p", {}, this.#unchanged())]));
  }

  #unchanged() {
    return `The model gets this, about ${grouped(this.#inline)} tokens:`;
  }

  #cost(tokens) {
    const share = Math.max(0.2, Math.min(100, (100 * tokens) / Math.max(1, this.#inline)));
    const bar = (percent, kind) => {
      const filled = element("span", { class: kind });
      filled.style.inlineSize = `${percent}%`;
      return element("span", { class: "bar", "aria-hidden": "true" }, filled);
    };
    const row = (label, number, percent, kind) =>
      element("div", {}, element("dt", {}, label), element("dd", {}, element("strong", {}, grouped(number)), " tokens", bar(percent, kind)));
    const times = Math.floor(this.#inline / Math.max(1, tokens));
    return [
      element("dl", { class: "cost" }, row("The result itself", this.#inline, 100, "inline"), row("The response", tokens, share, "response")),
      ...(times > 1 ? [element("p", { class: "saving" }, `1/${grouped(times)} of the tokens, as LRO estimates them.`)] : []),
    ];
  }
}

function textOf({ tag, val }, payload) {
  if (tag === "unchanged") return payload;
  return tag === "offloaded" ? val.response : val;
}
