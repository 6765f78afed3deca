// A directory in memory: the functions of WASI's `filesystem/types` that the component uses. It is all that a call reaches.

/** The name of the granted directory inside of the sandbox. */
export const GRANTED = "/output";

/** Bytes that a new file has room for. */
const FIRST_BYTES = 1 << 16;

/** A file whose bytes grow. */
class File {
  type = "regular-file";
  modified = Date.now();
  #room;
  #length;

  constructor(bytes = new Uint8Array(FIRST_BYTES), length = 0) {
    this.#room = bytes;
    this.#length = length;
  }

  get bytes() {
    return this.#room.subarray(0, this.#length);
  }

  write(bytes, offset) {
    const end = offset + bytes.length;
    if (end > this.#room.length) {
      const room = new Uint8Array(Math.max(end, 2 * this.#room.length));
      room.set(this.bytes);
      this.#room = room;
    }
    this.#room.set(bytes, offset);
    this.#length = Math.max(this.#length, end);
    this.modified = Date.now();
  }

  truncate() {
    this.#length = 0;
  }
}

/** A folder, by the names in it. */
class Folder {
  type = "directory";
  modified = Date.now();
  entries = new Map();
}

/** A directory with these files: pairs of a name and its bytes. */
export class MemoryDisk {
  #root = new Folder();

  constructor(files = []) {
    for (const [name, bytes] of files) this.#root.entries.set(name, new File(bytes, bytes.length));
  }

  /** Pairs of a name and its bytes, for the files of the directory itself. */
  files() {
    return [...this.#root.entries].filter(([, entry]) => entry instanceof File).map(([name, file]) => [name, file.bytes]);
  }

  /** The directory as WASI has it. */
  root() {
    return Descriptor.of(this.#root);
  }
}

export class Descriptor {
  #entry;

  static of(entry) {
    const descriptor = new Descriptor();
    descriptor.#entry = entry;
    return descriptor;
  }

  openAt(_pathFlags, name, { create, directory, exclusive, truncate }) {
    let entry = this.#folder.get(named(name));
    if (entry && exclusive) throw "exist";
    if (!entry && !create) throw "no-entry";
    if (!entry) this.#folder.set(name, (entry = new File()));
    if (directory && !(entry instanceof Folder)) throw "not-directory";
    if (!directory && !(entry instanceof File)) throw "not-permitted";
    if (truncate) entry.truncate();
    return Descriptor.of(entry);
  }

  read(length, offset) {
    const from = Number(offset);
    const bytes = this.#file.bytes.slice(from, from + Number(length));
    return [bytes, bytes.length === 0];
  }

  write(bytes, offset) {
    this.#file.write(bytes, Number(offset));
    return BigInt(bytes.length);
  }

  syncData() {}

  stat() {
    return status(this.#entry);
  }

  statAt(_pathFlags, name) {
    return status(this.#at(name));
  }

  createDirectoryAt(name) {
    if (this.#folder.has(named(name))) throw "exist";
    this.#folder.set(name, new Folder());
  }

  renameAt(name, folder, newName) {
    const entry = this.#at(name);
    folder.#folder.set(named(newName), entry);
    if (folder.#entry !== this.#entry || newName !== name) this.#folder.delete(name);
  }

  unlinkFileAt(name) {
    if (!(this.#at(name) instanceof File)) throw "is-directory";
    this.#folder.delete(name);
  }

  removeDirectoryAt(name) {
    const entry = this.#at(name);
    if (!(entry instanceof Folder)) throw "not-directory";
    if (entry.entries.size > 0) throw "not-empty";
    this.#folder.delete(name);
  }

  readDirectory() {
    return DirectoryEntryStream.of(this.#folder);
  }

  [Symbol.dispose ?? Symbol.for("dispose")]() {}

  get #file() {
    if (!(this.#entry instanceof File)) throw "is-directory";
    return this.#entry;
  }

  get #folder() {
    if (!(this.#entry instanceof Folder)) throw "not-directory";
    return this.#entry.entries;
  }

  #at(name) {
    const entry = this.#folder.get(named(name));
    if (!entry) throw "no-entry";
    return entry;
  }
}

export class DirectoryEntryStream {
  #entries;

  static of(entries) {
    const stream = new DirectoryEntryStream();
    stream.#entries = [...entries].map(([name, { type }]) => ({ name, type })).values();
    return stream;
  }

  readDirectoryEntry() {
    return this.#entries.next().value;
  }
}

/** `wasi:filesystem/types`. */
export const types = { Descriptor, DirectoryEntryStream, filesystemErrorCode: () => undefined };

/** The component only has names; anything else would leave the folder. */
function named(given) {
  const name = String(given);
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) throw "not-permitted";
  return name;
}

function status(entry) {
  const time = { seconds: BigInt(Math.floor(entry.modified / 1000)), nanoseconds: (entry.modified % 1000) * 1_000_000 };
  const size = BigInt(entry instanceof File ? entry.bytes.length : 0);
  return {
    type: entry.type,
    linkCount: 1n,
    size,
    dataAccessTimestamp: time,
    dataModificationTimestamp: time,
    statusChangeTimestamp: time,
  };
}
