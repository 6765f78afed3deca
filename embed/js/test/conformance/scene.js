// Runs one case in a temporary directory of its own.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { run } from "./engine.js";
import { Names } from "./names.js";
import { mismatch } from "./pattern.js";

const MCP = ["mcp-tools", "mcp-call", "mcp-offload-result", "mcp-offload-tools"];

/** The first difference of a case, with its step; nothing when it passes. */
export async function play(testCase, opened, fixtures) {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "lro-case-"));
  try {
    const scene = new Scene(testCase, join(root, "output"), fixtures);
    for (const [i, step] of testCase.steps.entries()) {
      const difference = await scene.step(step, opened);
      if (difference) return `step ${i + 1} (${step.call}): ${difference}`;
    }
    return undefined;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

class Scene {
  #given;
  #directory;
  #fixtures;
  #names = new Names();

  constructor({ given = {} }, directory, fixtures) {
    this.#given = given;
    this.#directory = directory;
    this.#fixtures = fixtures;
    this.#names.set("directory", directory);
    this.#names.set("outside", join(dirname(directory), "outside"));
    if (given.directory !== "missing") mkdirSync(directory);
    for (const file of given.files ?? []) this.#place(file);
  }

  async step(step, opened) {
    const settings = step.call === "resolve" ? step.settings : { ...this.#given.settings, ...step.settings };
    const found = await run(opened, {
      function: step.call,
      payload: this.#payload(step) ?? this.#payload(this.#given) ?? "",
      source: this.#source(step),
      request: this.#names.fillAll(step.request ?? {}),
      settings: this.#names.fillAll(settings ?? {}),
      fileText: step.file_text,
      environment: step.environment,
      directory: this.#access(),
    });
    const { answer, error, files, file } = step.then;
    if (error || found.error) {
      if (!error) return `unexpected error ${JSON.stringify(found.error)}`;
      if (!found.error) return `expected the error ${JSON.stringify(error)}, found ${JSON.stringify(found.answer)}`;
      return this.#compared("error", error, found.error);
    }
    const whole = this.#derived(step.call, found.answer);
    return (
      this.#compared("answer", answer, whole) ??
      this.#compared("files", files, files && filesBelow(this.#directory)) ??
      this.#compared("file", file, file && this.#lastFile())
    );
  }

  #compared(what, expected, found) {
    const difference = expected === undefined ? undefined : mismatch(expected, found, this.#names);
    return difference && what + difference;
  }

  /** `open` makes a missing directory; a case that wants none gets it removed again. */
  #access() {
    const opened = () => {
      if (this.#given.directory === "missing") rmSync(this.#directory, { recursive: true });
    };
    return { kind: this.#given.directory, path: this.#directory, opened };
  }

  /** The answer with what follows from it, and the names that later steps may use. */
  #derived(call, answer) {
    const value = () => parsed(answer.text);
    if (call === "offload") {
      const response = value();
      if (response?.file_path && answer.file_name) {
        this.#name(response.file_path, answer.file_name);
        this.#names.set("content", answer.content ?? "");
      }
      return { ...answer, response };
    }
    if (call === "describe") return { ...answer, description: value() };
    if (MCP.includes(call)) {
      const message = value();
      const { structuredContent } = message?.result ?? message ?? {};
      if (structuredContent?.file_path && answer.file_name) this.#name(structuredContent.file_path, answer.file_name);
      this.#names.set("next", structuredContent?.next ?? "");
      return { ...answer, message };
    }
    if (call === "extract") {
      const lines = answer.text.split("\n").slice(0, -1).map(parsed);
      const results = lines.includes(undefined) ? null : lines;
      this.#names.set("next", answer.next ?? "");
      const response = results?.[0];
      if (response?.offloaded !== true || !response.file_path) return { ...answer, results };
      this.#name(response.file_path, response.file_path.replace(this.#directory, "").replace(/^[/\\]+/, ""));
      return { ...answer, results, response };
    }
    return answer;
  }

  #name(file, name) {
    this.#names.set("file", file);
    this.#names.set("name", name);
  }

  #payload({ payload, records, fixture, message }) {
    if (payload !== undefined) return this.#names.fill(payload);
    if (records !== undefined) return this.#names.fill(JSON.stringify(records));
    if (fixture !== undefined) return this.#fixtures(fixture);
    if (message !== undefined) return JSON.stringify(this.#names.fillAll(message));
    return undefined;
  }

  #source({ source }) {
    if (source?.content !== undefined) return { content: this.#names.fill(source.content) };
    return { filePath: source ? this.#names.fill(source.file) : (this.#names.get("file") ?? "") };
  }

  #lastFile() {
    const name = this.#names.get("name") ?? "";
    const text = readFileSync(join(this.#directory, name), "utf8");
    const end = text.indexOf("\n");
    const [header, rest] = end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
    const lines = rest.replace(/\n$/, "").split("\n");
    return {
      name,
      header: parsed(header) ?? null,
      header_text: header,
      lines: rest === "" ? [] : lines,
      ends_with_newline: text.endsWith("\n"),
    };
  }

  #place({ name, lines, link }) {
    const path = join(this.#directory, this.#names.fill(name));
    mkdirSync(dirname(path), { recursive: true });
    const line = (value) => this.#names.fill(typeof value === "string" ? value : JSON.stringify(value)) + "\n";
    if (lines) writeFileSync(path, lines.map(line).join(""));
    else if (link) symlinkSync(this.#names.fill(link), path);
    else mkdirSync(path, { recursive: true });
  }
}

/** The paths of all files and links below a directory, with slashes, sorted. */
function filesBelow(directory, prefix = "") {
  const entries = readdirSync(directory, { withFileTypes: true });
  const paths = entries.flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(directory, entry.name), `${prefix}${entry.name}/`) : [prefix + entry.name],
  );
  return paths.sort();
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
