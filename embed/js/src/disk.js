// The one directory that a call is granted: the functions of WASI's `filesystem/types` that the component uses.
//
// Every name is looked up in a folder that is held open, never along a path, so exchanging a folder for a link has no effect.
// Linux has such a lookup below `/proc/self/fd`. Other platforms use a path, and compare what was opened with what the path
// means before a byte is read or written.

import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** The name of the granted directory inside of the sandbox. */
export const GRANTED = "/output";

const IS_WINDOWS = process.platform === "win32";

/** True where a file in a folder can be named by the folder's descriptor. */
const HAS_DESCRIPTOR_PATHS = process.platform === "linux" && existsSync("/proc/self/fd");

// A link is not followed, and a named pipe without a writer is not waited for. Windows has neither flag.
const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | SAFELY;

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const WASI_ERRORS = {
  EACCES: "access",
  EPERM: "not-permitted",
  ENOENT: "no-entry",
  EEXIST: "exist",
  ENOTDIR: "not-directory",
  EISDIR: "is-directory",
  ENOTEMPTY: "not-empty",
  ELOOP: "loop",
  EMLINK: "loop",
  EXDEV: "cross-device",
  ENAMETOOLONG: "name-too-long",
  ENOSPC: "insufficient-space",
  EDQUOT: "quota",
  EFBIG: "file-too-large",
  EROFS: "read-only",
};

/** What is open in the present call, its granted directory included. */
const open = new Set();

/** The granted directory of the present call. */
let granted;

/** True while the present call may write. */
let mayWrite = false;

/** Opens the directory for a call. A missing directory is not granted, and the component reports what follows from that. */
export function grant(directory, writes) {
  revoke();
  mayWrite = writes;
  if (directory === undefined) return;
  try {
    granted = folderAt(directory);
  } catch (error) {
    if (typeof error !== "string") throw error;
  }
}

/** Closes what a call has left open, also one that ended in a trap. */
export function revoke() {
  granted = undefined;
  mayWrite = false;
  for (const descriptor of open) descriptor.close();
}

/** `wasi:filesystem/preopens`. */
export const preopens = {
  getDirectories: () => (granted ? [[granted.lent(), GRANTED]] : []),
};

export class Descriptor {
  #fd;
  #path;
  #identity;
  #isLent = false;

  /** `path` names a folder; a file is known by its number alone. */
  static of(fd, path, { dev, ino, uid }) {
    const descriptor = new Descriptor();
    descriptor.#fd = fd;
    descriptor.#path = path;
    descriptor.#identity = { dev, ino, uid };
    open.add(descriptor);
    return descriptor;
  }

  /** The same, for a caller that may drop it without closing it. */
  lent() {
    const descriptor = new Descriptor();
    descriptor.#fd = this.#fd;
    descriptor.#path = this.#path;
    descriptor.#identity = this.#identity;
    descriptor.#isLent = true;
    return descriptor;
  }

  close() {
    if (this.#isLent || !open.delete(this)) return;
    closeSync(this.#fd);
  }

  [Symbol.dispose ?? Symbol.for("dispose")]() {
    this.close();
  }

  openAt(_pathFlags, name, { create, directory, exclusive, truncate }, { write }) {
    if (create || truncate || write) refuseWhereOnlyRead();
    const path = this.#at(name);
    if (directory) return this.#opened(name, path, FOLDER, (found) => found.isDirectory(), "not-directory");
    let flags = write ? constants.O_WRONLY : constants.O_RDONLY;
    if (create) flags |= constants.O_CREAT;
    if (exclusive) flags |= constants.O_EXCL;
    if (truncate) flags |= constants.O_TRUNC;
    return this.#opened(name, path, flags | SAFELY, (found) => found.isFile(), "not-permitted");
  }

  #opened(name, path, flags, isExpected, otherwise) {
    const fd = told(() => openSync(path, flags, PRIVATE_FILE));
    try {
      const found = told(() => fstatSync(fd, { bigint: true }));
      if (!isExpected(found)) throw otherwise;
      this.#compare(path, found);
      if (found.isDirectory() && mayWrite) this.#trust(found);
      return Descriptor.of(fd, found.isDirectory() ? this.#real(name) : undefined, found);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  read(length, offset) {
    const bytes = Buffer.allocUnsafe(Number(length));
    const read = told(() => readSync(this.#fd, bytes, 0, bytes.length, Number(offset)));
    return [bytes.subarray(0, read), read === 0];
  }

  write(bytes, offset) {
    refuseWhereOnlyRead();
    return BigInt(told(() => writeSync(this.#fd, bytes, 0, bytes.length, Number(offset))));
  }

  syncData() {
    told(() => fdatasyncSync(this.#fd));
  }

  stat() {
    return status(told(() => fstatSync(this.#fd, { bigint: true })));
  }

  statAt(_pathFlags, name) {
    const path = this.#at(name);
    return status(told(() => lstatSync(path, { bigint: true })));
  }

  createDirectoryAt(name) {
    refuseWhereOnlyRead();
    const path = this.#at(name);
    told(() => mkdirSync(path, { mode: PRIVATE_FOLDER }));
  }

  renameAt(name, folder, newName) {
    refuseWhereOnlyRead();
    const [from, to] = [this.#at(name), folder.#at(newName)];
    told(() => renameSync(from, to));
  }

  unlinkFileAt(name) {
    refuseWhereOnlyRead();
    const path = this.#at(name);
    told(() => unlinkSync(path));
  }

  removeDirectoryAt(name) {
    refuseWhereOnlyRead();
    const path = this.#at(name);
    told(() => rmdirSync(path));
  }

  readDirectory() {
    const path = HAS_DESCRIPTOR_PATHS ? `/proc/self/fd/${this.#fd}` : this.#checked();
    return DirectoryEntryStream.of(told(() => readdirSync(path, { withFileTypes: true })));
  }

  /** The path of a name in this folder. The component only has names; anything else would leave the folder. */
  #at(given) {
    const name = String(given);
    if (name === "" || name === "." || name === ".." || /[/\0]/.test(name) || (IS_WINDOWS && /[\\:]/.test(name))) {
      throw "not-permitted";
    }
    return HAS_DESCRIPTOR_PATHS ? `/proc/self/fd/${this.#fd}/${name}` : join(this.#checked(), name);
  }

  #real(name) {
    return join(this.#path, name);
  }

  /** This folder's path, which must still mean this folder. */
  #checked() {
    const found = told(() => lstatSync(this.#path, { bigint: true }));
    if (!isSame(found, this.#identity)) throw "not-permitted";
    return this.#path;
  }

  /** Where a name was looked up along a path: what was opened must be what the path means, in a folder that is this one. */
  #compare(path, found) {
    if (HAS_DESCRIPTOR_PATHS) return;
    if (!isSame(told(() => lstatSync(path, { bigint: true })), found)) throw "not-permitted";
    this.#checked();
  }

  /** Nothing is written to a folder of another user, who could read and exchange it. */
  #trust({ uid }) {
    if (!IS_WINDOWS && uid !== BigInt(process.geteuid()) && uid !== this.#identity.uid) throw "access";
  }
}

export class DirectoryEntryStream {
  #entries;

  static of(entries) {
    const stream = new DirectoryEntryStream();
    stream.#entries = entries.values();
    return stream;
  }

  readDirectoryEntry() {
    const { value } = this.#entries.next();
    return value && { name: value.name, type: kind(value) };
  }
}

/** `wasi:filesystem/types`. */
export const types = { Descriptor, DirectoryEntryStream, filesystemErrorCode: () => undefined };

/** The directory itself, by its canonical path. */
function folderAt(path) {
  const fd = told(() => openSync(path, FOLDER));
  try {
    const found = told(() => fstatSync(fd, { bigint: true }));
    if (!found.isDirectory()) throw "not-directory";
    return Descriptor.of(fd, path, found);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function refuseWhereOnlyRead() {
  if (!mayWrite) throw "read-only";
}

/** Returns the result of an operation; throws its failure by WASI's name. */
function told(operation) {
  try {
    return operation();
  } catch (error) {
    throw typeof error?.code === "string" ? (WASI_ERRORS[error.code] ?? "io") : error;
  }
}

function isSame(one, other) {
  return one.dev === other.dev && one.ino === other.ino;
}

function status(stats) {
  return {
    type: kind(stats),
    linkCount: stats.nlink,
    size: stats.size,
    dataAccessTimestamp: time(stats.atimeNs),
    dataModificationTimestamp: time(stats.mtimeNs),
    statusChangeTimestamp: time(stats.ctimeNs),
  };
}

/** WASI's times have no sign. */
function time(nanoseconds) {
  if (nanoseconds < 0n) return { seconds: 0n, nanoseconds: 0 };
  return { seconds: nanoseconds / 1_000_000_000n, nanoseconds: Number(nanoseconds % 1_000_000_000n) };
}

function kind(entry) {
  if (entry.isFile()) return "regular-file";
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "symbolic-link";
  if (entry.isFIFO()) return "fifo";
  if (entry.isSocket()) return "socket";
  if (entry.isCharacterDevice()) return "character-device";
  return entry.isBlockDevice() ? "block-device" : "unknown";
}
