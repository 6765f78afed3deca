// Recipes, criteria and filters on the records of a file. An error is shown as a model gets it, with its hint.

import { button, counted, element, grouped, shown } from "./elements.js";
import { told } from "./table.js";

const byId = (id) => document.getElementById(id);

/** Results of a page. */
const PAGE = { limit: 200, max_bytes: 100_000 };

export class Asking {
  #component;
  #file;
  #request;
  #count = 0;
  #turn = 0;

  constructor(component) {
    this.#component = component;
    byId("criteria").addEventListener("submit", (event) => this.#submitted(event, criteria));
    byId("filter").addEventListener("submit", (event) => this.#submitted(event, filter));
    byId("more").addEventListener("click", () => this.#run(this.#request, false));
    byId("stop").addEventListener("click", () => this.#component.stop());
  }

  /** Asks this file from now on; its response names the recipes. */
  of(file, response) {
    this.#file = file;
    this.#turn++;
    this.#clear();
    const recipes = response.jq_recipes ?? [];
    byId("recipes").replaceChildren(...recipes.map((recipe, at) => this.#recipe(recipe, at + 1)));
    byId("value").value = "";
  }

  #recipe({ description, command }, number) {
    const run = () => this.#run({ recipe: number, ...parameter() }, true);
    return element("li", {}, button(shown(description, 200), run, { title: shown(command, 1000) }));
  }

  #submitted(event, read) {
    event.preventDefault();
    void this.#run(read(), true);
  }

  async #run(request, isFirst) {
    const turn = ++this.#turn;
    if (isFirst) this.#clear();
    byId("wrong").replaceChildren();
    byId("answered").textContent = "Running…";
    byId("stop").hidden = false;
    const began = performance.now();
    try {
      const page = await this.#component.extract(this.#file, { ...PAGE, ...request });
      if (turn === this.#turn) this.#show(page, request, Math.round(performance.now() - began));
    } catch (error) {
      if (turn !== this.#turn) return;
      byId("answered").textContent = "";
      byId("more").hidden = true;
      byId("wrong").replaceChildren(...told(error), ...known(error));
    } finally {
      if (turn === this.#turn) byId("stop").hidden = true;
    }
  }

  #show({ results, count, total, next, remarks, failed, failures }, request, milliseconds) {
    this.#count += count;
    this.#request = { ...request, next };
    byId("results").append(shown(results));
    byId("results").hidden = this.#count === 0;
    byId("more").hidden = next === undefined;
    const of = total === undefined || total === this.#count ? "" : ` of ${grouped(total)}`;
    byId("answered").textContent = `${grouped(this.#count)}${of} ${this.#count === 1 ? "result" : "results"}, ${grouped(milliseconds)} ms`;
    const failing = failed > 0 ? [`The filter failed on ${counted(failed, "record")}.`] : [];
    const first = failures.slice(0, 3).map(({ line, message, hint }) => `Line ${line}: ${message}${hint ? `; ${hint}` : ""}`);
    byId("wrong").replaceChildren(...[...remarks, ...failing, ...first].map((text) => element("p", {}, shown(text, 1000))));
  }

  #clear() {
    this.#count = 0;
    byId("results").replaceChildren();
    byId("results").hidden = byId("more").hidden = true;
    byId("answered").textContent = "";
    byId("wrong").replaceChildren();
  }
}

function criteria() {
  const fields = byId("select").value.split(",").map((field) => field.trim()).filter(Boolean);
  const group = byId("group").value.trim();
  const sort = byId("sort").value.trim();
  const request = { where: byId("where").value.split("\n").map((line) => line.trim()).filter(Boolean) };
  if (fields.length > 0) request.select = fields;
  if (group) request.group_by = group;
  if (sort) request.sort_by = sort;
  return request;
}

function filter() {
  return { query: byId("query").value, slurp: byId("slurp").checked };
}

/** What a recipe gets: `keyword=cache`, as the command has it. */
function parameter() {
  const [, name, value] = /^\s*([^=]+?)\s*=\s*(.*)$/.exec(byId("value").value) ?? [];
  return name ? { params: { [name]: value } } : {};
}

/** Names that could have been meant. */
function known({ known: names = [] }) {
  return names.length === 0 ? [] : [element("p", { class: "hint" }, shown(`There are: ${names.join(", ")}`, 1000))];
}
