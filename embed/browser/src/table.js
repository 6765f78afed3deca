// The table of a file's records: it sorts, filters and turns pages by asking `lro_extract`, as a model does, so it holds no
// more than a page. The page in the browser and the app in a chat show the same one.

import { columnsOf, columnsOfResults, isObject } from "./columns.js";
import { button, counted, element, grouped, shown } from "./elements.js";

/** Rows of a page. */
const ROWS = 25;

/** Characters of a cell; the record itself has the rest. */
const CELL_CHARACTERS = 120;

/** The record shows this many characters of its text. */
const RECORD_CHARACTERS = 200_000;

export class Table {
  #ask;
  #file;
  #columns = [];
  #isText = false;
  #conditions = [];
  #sort;
  /** Where each page begins that can be turned to: how many records are before it, and its `next`. */
  #pages = [{ before: 0 }];
  #page = 0;
  #shown = { results: [], lines: [] };
  #query;
  #parts = {};
  #turn = 0;

  /** `ask(tool, arguments)` returns the answer of `extract` or `describe`, and throws an error with `message` and `hint`. */
  constructor(root, ask) {
    this.#ask = ask;
    this.#build(root);
  }

  /** Shows the records of a file from the first one on. */
  async open(file, { where = [], sort_by: sort } = {}) {
    this.#reset(file, where, sort);
    await this.#turned(async () => {
      await this.#describe();
      return this.#load();
    });
  }

  /** Shows what a model got, and goes on from there. */
  async goOn(asked, answer) {
    const { file_path: file, where = [], sort_by: sort } = asked;
    this.#reset(file, Array.isArray(where) ? where : [where], sort);
    this.#query = isOfRecords(asked) ? undefined : asked;
    this.#columns = columnsOfResults(answer.results ?? []);
    this.#isText = this.#columns.length === 0;
    this.#take(answer, 0);
    this.#draw();
  }

  #reset(file, conditions, sort) {
    [this.#file, this.#conditions, this.#sort, this.#query] = [file, conditions.map(String), sort, undefined];
    this.#rewind();
    this.#tell();
  }

  #rewind() {
    [this.#pages, this.#page] = [[{ before: 0 }], 0];
  }

  async #describe() {
    const described = await this.#ask("describe", { file_path: this.#file });
    this.#columns = columnsOf(described);
    this.#isText = described.kind === "text" || this.#columns.length === 0;
    this.#sort = this.#isText ? undefined : this.#sort;
  }

  /** A page: as many answers as it takes, since each is small. */
  async #load() {
    const rows = { results: [], lines: [] };
    let { next } = this.#pages[this.#page];
    do {
      const answer = await this.#ask("extract", this.#request(ROWS - rows.results.length, next));
      rows.results.push(...(answer.results ?? []));
      rows.lines.push(...(answer.lines ?? []));
      rows.total = answer.total ?? rows.total;
      rows.remarks = answer.remarks ?? rows.remarks;
      next = answer.next;
      if ((answer.results ?? []).length === 0) break;
    } while (next !== undefined && rows.results.length < ROWS);
    this.#take({ ...rows, next }, this.#page);
  }

  #take(rows, page) {
    this.#shown = { results: [], lines: [], ...rows };
    this.#page = page;
    this.#pages.length = page + 1;
    const before = this.#pages[page].before + (rows.results ?? []).length;
    if (rows.next !== undefined) this.#pages.push({ before, next: rows.next });
  }

  #request(limit, next) {
    const which = this.#query ?? (this.#isText ? this.#lines() : this.#criteria());
    return { ...which, file_path: this.#file, limit, ...(next === undefined ? {} : { next }) };
  }

  #criteria() {
    const select = this.#visible().map(({ name }) => name);
    return { where: this.#conditions, select, ...(this.#sort ? { sort_by: this.#sort } : {}) };
  }

  /** Lines of a text, or values that are not objects: a condition is a text to search for. */
  #lines() {
    const conditions = this.#conditions.map((_, at) => `select(tostring | ascii_downcase | contains($c${at}))`);
    const params = Object.fromEntries(this.#conditions.map((text, at) => [`c${at}`, text.toLowerCase()]));
    return { query: [...conditions, "."].join(" | "), ...(conditions.length > 0 ? { params } : {}) };
  }

  #visible() {
    return this.#columns.filter(({ isShown }) => isShown);
  }

  /** Does something, and shows what came of it. Of two things at once, the later one is shown. */
  async #turned(act) {
    const turn = ++this.#turn;
    this.#parts.root.setAttribute("aria-busy", "true");
    try {
      await act();
      if (turn !== this.#turn) return true;
      this.#tell();
      this.#draw();
      return true;
    } catch (error) {
      if (turn === this.#turn) this.#tell(error);
      return false;
    } finally {
      if (turn === this.#turn) this.#parts.root.removeAttribute("aria-busy");
    }
  }

  // What a reader does.

  async #filter(condition) {
    if (condition === "") return;
    if (await this.#changed({ conditions: [...this.#conditions, condition] })) this.#parts.condition.value = "";
  }

  /** Changes what is asked for. A change that is refused leaves the table as it was. */
  async #changed({ conditions = this.#conditions, sort = this.#sort }) {
    const before = [this.#conditions, this.#sort, this.#pages, this.#page, this.#query, this.#columns, this.#isText];
    [this.#conditions, this.#sort] = [conditions, sort];
    this.#rewind();
    const isDone = await this.#turned(async () => {
      if (this.#query !== undefined || !this.#columns.some((column) => column.isKnown)) await this.#know();
      await this.#load();
    });
    if (!isDone) [this.#conditions, this.#sort, this.#pages, this.#page, this.#query, this.#columns, this.#isText] = before;
    return isDone;
  }

  /** What began with the answer to a model goes on as the table of the file. */
  async #know() {
    const chosen = this.#query === undefined ? this.#visible().map(({ name }) => name) : [];
    this.#query = undefined;
    await this.#describe();
    const known = new Set(this.#columns.map(({ name }) => name));
    if (chosen.length > 0 && chosen.every((name) => known.has(name))) {
      for (const column of this.#columns) column.isShown = chosen.includes(column.name);
    }
    for (const column of this.#columns) column.isKnown = true;
  }

  #sorted(name) {
    const sort = this.#sort === name ? `-${name}` : this.#sort === `-${name}` ? undefined : name;
    return this.#changed({ sort: sort ?? "" });
  }

  #toPage(page) {
    const before = this.#page;
    this.#page = page;
    return this.#turned(() => this.#load()).then((isDone) => {
      if (!isDone) this.#page = before;
    });
  }

  /** Shows all of a record: by its line where the answer or its stub names it, else what is in the row. */
  async #record(at) {
    const line = this.#shown.lines[at] ?? this.#shown.results[at]?.stub?.read?.line;
    await this.#turned(async () => {
      const record = line === undefined ? this.#shown.results[at] : await this.#whole(line);
      const { dialog, text, title } = this.#parts;
      title.textContent = line === undefined ? "Record" : `Record on line ${grouped(line)}`;
      text.textContent = shown(typeof record === "string" ? record : JSON.stringify(record, null, 2), RECORD_CHARACTERS);
      dialog.showModal();
    });
  }

  /** A record by its line. What is too large for an answer comes in pieces. */
  async #whole(line) {
    let [text, form, next] = ["", undefined, undefined];
    do {
      const answer = await this.#ask("extract", { file_path: this.#file, line, ...(next === undefined ? {} : { next }) });
      const [result] = answer.results;
      // A stub says where its pieces begin. A record that poses as one is asked for once more.
      if (next === undefined && result?.stub?.read?.line === line) {
        next = String(result.stub.read.next);
        continue;
      }
      if (!isObject(result?.piece)) return result;
      ({ form } = result.piece);
      text += result.piece.text;
      next = answer.next;
    } while (next !== undefined && text.length < RECORD_CHARACTERS);
    try {
      return form === "json" ? JSON.parse(text) : text;
    } catch {
      return text;
    }
  }

  // What a reader sees.

  #build(root) {
    const names = element("datalist", { id: `${root.id}-fields` });
    const condition = element("input", {
      id: `${root.id}-condition`,
      type: "text",
      list: names.id,
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "title~=cache",
    });
    // No forms: the frame of a chat may not send any.
    const filter = () => void this.#filter(condition.value.trim());
    condition.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) filter();
    });
    const form = element(
      "div",
      { class: "filter", role: "search" },
      element("label", { for: condition.id }, "Condition"),
      condition,
      names,
      button("Filter", filter),
    );
    const chips = element("ul", { class: "chips", "aria-label": "Conditions" });
    const columns = element("details", { class: "columns" });
    const alert = element("div", { class: "alert", role: "alert" });
    const status = element("p", { class: "status", role: "status" });
    const table = element("table");
    const scroll = element("div", { class: "scroll", role: "region", "aria-label": "Records", tabindex: "0" }, table);
    const back = button("Previous page", () => this.#toPage(this.#page - 1), { class: "back" });
    const on = button("Next page", () => this.#toPage(this.#page + 1), { class: "on" });
    const title = element("h3", { id: `${root.id}-record` });
    const text = element("pre", { tabindex: "0", "aria-labelledby": title.id, dir: "auto" });
    const close = button("Close", () => this.#parts.dialog.close());
    const dialog = element("dialog", { class: "record", "aria-labelledby": title.id }, title, text, close);
    const pager = element("nav", { class: "pager", "aria-label": "Pages" }, back, status, on);
    root.replaceChildren(form, chips, alert, scroll, pager, columns, dialog);
    this.#parts = { root, names, condition, chips, columns, alert, status, table, back, on, title, text, dialog };
  }

  #draw() {
    const { table, names, chips, columns, back, on, status } = this.#parts;
    names.replaceChildren(...this.#columns.map(({ name }) => element("option", { value: `${name}=` })));
    this.#parts.condition.placeholder = this.#isText ? "error" : `${this.#columns[0]?.name ?? "title"}~=…`;
    chips.replaceChildren(...this.#conditions.map((condition) => this.#chip(condition)));
    const active = document.activeElement?.closest("th")?.dataset.column;
    const focused = table.contains(document.activeElement) ? active : undefined;
    table.replaceChildren(this.#caption(), this.#head(), this.#body());
    if (focused) table.querySelector(`th[data-column="${CSS.escape(focused)}"] button`)?.focus();
    back.disabled = this.#page === 0;
    on.disabled = this.#pages.length <= this.#page + 1;
    status.textContent = this.#position();
    columns.replaceChildren(...this.#choices());
    columns.hidden = this.#isText || this.#query !== undefined;
  }

  #caption() {
    const said = [...this.#conditions.map((condition) => `where ${condition}`), ...(this.#sort ? [`by ${this.#sort}`] : [])];
    return element("caption", {}, shown(["Records", ...said].join(", "), CELL_CHARACTERS));
  }

  #position() {
    const { results, total } = this.#shown;
    if (results.length === 0) return "No record meets the conditions";
    const first = this.#pages[this.#page].before + 1;
    const range = `${grouped(first)} to ${grouped(first + results.length - 1)}`;
    return total === undefined ? `Records ${range}` : `Records ${range} of ${grouped(total)}`;
  }

  #chip(condition) {
    const drop = () => this.#changed({ conditions: this.#conditions.filter((other) => other !== condition) });
    return element("li", {}, element("bdi", {}, shown(condition, 60)), button("×", drop, { "aria-label": `Remove the condition ${condition}` }));
  }

  #head() {
    const numbers = element("th", { scope: "col" }, element("span", { class: "unseen" }, "Record"));
    if (this.#isText) return element("thead", {}, element("tr", {}, numbers, element("th", { scope: "col" }, "Value")));
    return element("thead", {}, element("tr", {}, numbers, ...this.#visible().map((column) => this.#heading(column))));
  }

  #heading({ name, isNumber }) {
    const sorted = this.#sort === name ? "ascending" : this.#sort === `-${name}` ? "descending" : "none";
    const sort = button(shown(name, 40), () => this.#sorted(name));
    const attributes = { scope: "col", "data-column": name, "aria-sort": sorted, class: isNumber ? "number" : undefined };
    return element("th", attributes, this.#query === undefined ? sort : shown(name, 40));
  }

  #body() {
    return element("tbody", {}, ...this.#shown.results.map((result, at) => this.#row(result, at)));
  }

  #row(result, at) {
    const number = this.#pages[this.#page].before + at + 1;
    const open = button(grouped(number), () => this.#record(at), { class: "open", "aria-label": `Show record ${grouped(number)}` });
    const first = element("th", { scope: "row" }, open);
    if (this.#isText || !isObject(result)) return element("tr", {}, first, cell(result, Math.max(1, this.#visible().length)));
    return element("tr", {}, first, ...this.#visible().map(({ name, isNumber }) => cell(own(result, name), 1, isNumber)));
  }

  #choices() {
    const choose = (column) => {
      column.isShown = !column.isShown;
      void this.#changed({});
    };
    const choice = (column) => {
      const box = element("input", { type: "checkbox", checked: column.isShown, onchange: () => choose(column) });
      return element("label", {}, box, element("bdi", {}, shown(column.name, 40)));
    };
    return [element("summary", {}, "Columns"), element("div", { class: "choices" }, ...this.#columns.map(choice))];
  }

  /** Says what went wrong and what to do about it; nothing if all is well. */
  #tell(error) {
    this.#parts.alert.replaceChildren(...(error ? told(error) : (this.#shown.remarks ?? []).map((remark) => element("p", {}, shown(remark)))));
  }
}

/** An error as a reader wants it: what is wrong, and what to do. */
export function told({ message, hint }) {
  return [element("p", {}, shown(message, 2000)), ...(hint ? [element("p", { class: "hint" }, shown(hint, 2000))] : [])];
}

/** True if a request asks for records by criteria, which the table can go on with. */
function isOfRecords(asked) {
  const others = ["recipe", "query", "count", "group_by", "aggregate", "per_group", "line", "records", "on", "slurp"];
  return others.every((key) => asked[key] === undefined);
}

/** A record's field, and nothing that every object has, such as a constructor. */
function own(record, name) {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function cell(value, columns, isNumber = false) {
  const attributes = { class: isNumber ? "number" : undefined, colspan: columns > 1 ? columns : undefined };
  if (value === null || value === undefined) return element("td", { ...attributes, class: "nothing" }, "–");
  const text = typeof value === "string" ? value : typeof value === "number" ? String(value) : JSON.stringify(value);
  return element("td", attributes, element("bdi", {}, shown(text, CELL_CHARACTERS)));
}

export { counted };
