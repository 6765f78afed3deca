// A small store of memories: the service behind the server's tools. It knows nothing of offloading.

import { readFileSync } from "node:fs";

const LIGHT = ["id", "title", "namespace", "memory_type", "tags", "created"];
const MEDIUM = [...LIGHT, "content"];

export class Memories {
  #all;

  /** From a file with a JSON array of memories. */
  constructor(file) {
    this.#all = JSON.parse(readFileSync(file, "utf8"));
  }

  /** Memories of which the query's words say something, the best first, each with a score from 0 to 1. */
  search(query, limit = this.#all.length) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const scored = this.#all.map((memory) => ({ memory, score: score(memory, words) }));
    return scored.filter((hit) => hit.score > 0).sort((one, other) => other.score - one.score).slice(0, limit);
  }

  /** Memories of a namespace and what is below it, or all. */
  list(namespace = "") {
    return this.#all.filter((memory) => (memory.namespace ?? "").startsWith(namespace));
  }
}

/** A memory at a level of detail. */
export function atDetail(memory, detail) {
  if (detail === "full") return memory;
  const keys = detail === "light" ? LIGHT : MEDIUM;
  const seen = Object.fromEntries(keys.map((key) => [key, memory[key] ?? (key === "tags" ? [] : null)]));
  return detail === "light" ? seen : { ...seen, confidence: memory.provenance?.confidence ?? null };
}

/** Memories as text for a prompt, as many as the budget of tokens holds. */
export function formatted(memories, tokens) {
  let text = "# Context\n";
  for (const { title, id, content } of memories) {
    const entry = `\n## ${title ?? id}\n${content.trim()}\n`;
    if ((text.length + entry.length) / 4 > tokens) break;
    text += entry;
  }
  return text;
}

function score({ title, content, tags }, words) {
  if (words.length === 0) return 1;
  const text = `${title ?? ""} ${content ?? ""} ${(tags ?? []).join(" ")}`.toLowerCase();
  return words.filter((word) => text.includes(word)).length / words.length;
}
