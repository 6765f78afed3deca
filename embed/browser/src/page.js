// The page: a result is given, and the panels show what became of it.

import { Asking } from "./asking.js";
import { Component } from "./component.js";
import { grouped } from "./elements.js";
import { Given } from "./given.js";
import { Rebuilding } from "./rebuilding.js";
import { Response } from "./response.js";
import { Table, told } from "./table.js";
import { answerOf } from "./tool-answer.js";

const byId = (id) => document.getElementById(id);
const panels = ["response", "records", "extract", "rebuild"].map(byId);

/** The settings of the two responses that are shown: for a model with a shell, and for one with our tools. */
const FORMS = [{ descriptor: "full" }, { descriptor: "compact", guidance: "tool" }];

async function begin() {
  const progress = byId("progress");
  try {
    const file = await fetch("lro.wasm");
    if (!file.ok) throw new Error(`lro.wasm is missing here (status ${file.status})`);
    const component = await Component.load(await file.arrayBuffer());
    new Page(component);
    progress.textContent = "Ready.";
    // For a test, and for whoever waits.
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    progress.textContent = "";
    byId("trouble").replaceChildren(...told({ message: `cannot load the component: ${error.message}`, hint: "Load the page again." }));
  }
}

class Page {
  #component;
  #given;
  #response = new Response();
  #table;
  #asking;
  #rebuilding;
  #turn = 0;

  constructor(component) {
    this.#component = component;
    this.#given = new Given((result) => this.#offload(result));
    this.#table = new Table(byId("table"), (tool, given) => this.#ask(tool, given));
    this.#asking = new Asking(component);
    this.#rebuilding = new Rebuilding(component);
    byId("list").addEventListener("change", ({ target }) => this.#open(target.value));
  }

  /** Offloads a result, and shows what became of it. A result that is given meanwhile is the one that counts. */
  async #offload({ text, bytes, operation, threshold }) {
    const turn = ++this.#turn;
    this.#given.tell(`Offloading ${grouped(bytes.length)} bytes…`);
    await this.#component.forget();
    try {
      const began = performance.now();
      const settings = FORMS.map((form) => ({ ...form, threshold_tokens: threshold }));
      const answers = await this.#component.offload(text, { operation }, settings);
      const milliseconds = Math.round(performance.now() - began);
      if (turn === this.#turn) await this.#show({ text, bytes, answers, milliseconds });
    } catch (error) {
      if (turn !== this.#turn) return;
      for (const panel of panels) panel.hidden = true;
      this.#given.fail(error);
    }
  }

  async #show({ text, bytes, answers, milliseconds }) {
    const [{ outcome }] = answers;
    const isOffloaded = outcome.tag === "offloaded";
    for (const panel of panels) panel.hidden = !isOffloaded && panel.id !== "response";
    await this.#response.show(this.#component, answers, text);
    this.#given.tell(`${said(outcome.tag)} after ${grouped(milliseconds)} ms.`);
    if (!isOffloaded) return;
    const { fileName, sections, response } = outcome.val;
    this.#choose([fileName, ...sections.map((section) => section.fileName)], JSON.parse(response));
    this.#rebuilding.of(fileName, bytes);
    await this.#open(fileName);
  }

  /** The lists of a document, if it has several. */
  #choose(files, response) {
    const paths = [response.section, ...(response.sections ?? [])].map((section) => section?.path);
    const options = files.map((file, at) => new Option(paths[at] ?? file, file));
    byId("list").replaceChildren(...options);
    byId("lists").hidden = files.length < 2;
  }

  async #open(file) {
    await Promise.all([this.#table.open(file), this.#asking.of(file, this.#response.of(file))]);
  }

  async #ask(tool, given) {
    return answerOf(await this.#component.tool(`lro_${tool}`, given));
  }
}

function said(outcome) {
  if (outcome === "offloaded") return "Offloaded";
  return outcome === "truncated" ? "Truncated, because it could not be stored," : "Not offloaded: it is small enough,";
}

// Without a network, the page comes from here.
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
  navigator.serviceWorker.register("offline.js").catch(() => {});
}

void begin();
