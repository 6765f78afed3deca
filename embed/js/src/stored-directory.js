// What stands for the output directory where results are in a key-value store: each call gets a private folder with the files
// that it reads, and what it writes there goes to the store.

import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { LroError } from "./error.js";
import * as directories from "./output-directory.js";
import { ResultStore, SCHEME } from "./store.js";
import { isDue } from "./sweeps.js";

export { SCHEME };

const SESSION = /^[A-Za-z0-9_-]{1,64}$/;
const NAME = /^[A-Za-z0-9_-]{1,200}(\.jsonl|\.txt)?$/;
const ENDS = [".jsonl", ".txt"];
const SCRATCH = ".lro-";

/** Names of results that are remembered for the end of their sessions; the others expire. */
const MOST_REMEMBERED = 10_000;

/** A folder of this age was left by a process that was killed: no call runs that long. */
const ABANDONED_MS = 3_600_000;
const SWEEP_MS = 300_000;

/** The names that this process has put into each store, with whatever settings. */
const stored = new WeakMap();

export class StoredDirectory {
  #store;
  #prefix;
  #ttlSeconds;
  #remembered;

  constructor(store, { timeoutMs, partBytes, prefix, ttlSeconds }) {
    this.#store = new ResultStore(store, { timeoutMs, partBytes });
    this.#prefix = prefix;
    this.#ttlSeconds = ttlSeconds;
    if (!stored.has(store)) stored.set(store, new Set());
    this.#remembered = stored.get(store);
  }

  /** Calls a function with a folder of these files, as far as the store has them, and their bytes together. */
  reading(files, call) {
    return inFolder(async (folder) => call(folder, await this.#fetchAll(files, folder)));
  }

  /** The same for a call that also writes: what it has written is stored before its answer is known. */
  writing(files, call) {
    return inFolder(async (folder) => {
      const bytes = await this.#fetchAll(files, folder);
      const lent = new Set(await filesBelow(folder));
      const answer = await call(folder, bytes);
      const written = (await filesBelow(folder)).filter((name) => !lent.has(name) && ENDS.some((end) => name.endsWith(end)));
      if (written.length > 0) await this.#keep(folder, written, mainFile(answer));
      return answer;
    });
  }

  /**
   * Deletes what this process has stored, of a session or at all. Everything else expires, which the store sees to, and an
   * event says so.
   */
  async clean({ session, all, maxFiles, dryRun, quick } = {}) {
    const events = quick ? [] : [this.#leftToStore()];
    if (quick || (all !== true && maxFiles !== 0)) return { deleted: 0, freedBytes: 0, kept: 0, events };
    const names = [...this.#remembered].filter((name) => session === undefined || name.startsWith(`${session}/`));
    if (dryRun) return { deleted: names.length, freedBytes: 0, kept: 0, events };
    const deleted = await this.#store.delete(names);
    names.forEach((name) => this.#remembered.delete(name));
    return { ...deleted, kept: 0, events };
  }

  async #fetchAll(files, folder) {
    let bytes = 0;
    for (const file of files) bytes += await this.#fetch(file, folder);
    return bytes;
  }

  /** Writes the document of a file to a folder. Returns the file's own bytes, 0 if the store does not have it. */
  async #fetch(file, folder) {
    for (const name of this.#names(file)) {
      const found = await this.#store.get(name);
      for (const [other, content] of found) {
        // A record is data of the store: its names lead nowhere else.
        if (!this.#names(other).includes(other)) continue;
        const path = join(folder, ...other.split("/"));
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(path, content, { mode: 0o600 });
      }
      if (found.size > 0) return found.get(name).length;
    }
    return 0;
  }

  async #keep(folder, written, main) {
    const ordered = [...written].sort((one, other) => (one === main) - (other === main));
    const contents = await Promise.all(ordered.map((name) => readFile(join(folder, ...name.split("/")))));
    await this.#store.put(new Map(ordered.map((name, place) => [name, contents[place]])), this.#ttlSeconds * 1000);
    ordered.forEach((name) => this.#remembered.add(name));
    for (const oldest of this.#remembered) {
      if (this.#remembered.size <= MOST_REMEMBERED) break;
      this.#remembered.delete(oldest);
    }
  }

  /** The names of results that a path or an id may mean. */
  #names(file) {
    const [name, folder, ...more] = file.replace(/^lro:\/\//, "").split("/").reverse();
    if (more.length > 0 || (folder !== undefined && !SESSION.test(folder)) || !NAME.test(name)) return [];
    const id = /^art_(.+)_([^_]+)$/.exec(name);
    const stem = id ? `${this.#prefix}-${id[1]}-${id[2].toUpperCase()}` : name;
    const names = ENDS.some((end) => stem.endsWith(end)) ? [stem] : ENDS.map((end) => stem + end);
    return names.filter((one) => one.startsWith(this.#prefix)).map((one) => (folder === undefined ? one : `${folder}/${one}`));
  }

  #leftToStore() {
    const seconds = this.#ttlSeconds;
    const message =
      "the store deletes what has expired, and only what this process has stored can be deleted before: " +
      `the rest expires ${seconds} seconds after it was stored`;
    return { name: "ExpiryLeftToStore", message, fields: { ttl_seconds: seconds } };
  }
}

/** What a function returns that gets a private folder, which is gone afterwards. */
async function inFolder(use) {
  const scratch = directories.prepareDefault();
  if (isDue(`${scratch} scratch`, SWEEP_MS)) await removeAbandoned(scratch);
  const folder = await mkdtemp(join(scratch, SCRATCH)).catch((error) => {
    const hint = "give the process a temporary directory that it can write to (TMPDIR)";
    throw new LroError({ case: "io", message: `cannot make a folder in \`${scratch}\`: ${error.message}`, hint }, { cause: error });
  });
  try {
    return await use(folder);
  } catch (error) {
    if (error instanceof LroError || typeof error?.code !== "string") throw error;
    throw new LroError({ case: "io", message: `cannot use the folder \`${folder}\`: ${error.message}` }, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** Removes the folders of killed processes. */
async function removeAbandoned(scratch) {
  for (const name of await readdir(scratch).catch(() => [])) {
    if (!name.startsWith(SCRATCH)) continue;
    const status = await stat(join(scratch, name)).catch(() => undefined);
    if (status && Date.now() - status.mtimeMs > ABANDONED_MS) await rm(join(scratch, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** The names of the files in a folder and one below it. */
async function filesBelow(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(async ({ name }) => (await readdir(join(folder, name))).map((file) => `${name}/${file}`)),
  );
  return [...entries.filter((entry) => entry.isFile()).map(({ name }) => name), ...below.flat()];
}

/** The file of an offload, of a tool's result too. */
function mainFile({ outcome, fileName }) {
  return outcome === undefined ? fileName : outcome.val?.fileName;
}
