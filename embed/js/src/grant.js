// What the component may do in the one directory that it is granted: everything, or nothing but reading. Files that it
// creates are private from their first byte on.

import { chmodSync } from "node:fs";
import { join } from "node:path";

/** The name of the granted directory inside of the sandbox. */
export const GRANTED = "/output";

/** Where a descriptor is on this machine; only directories are looked up. */
const places = new WeakMap();

/** Descriptors of granted directories, which nobody has opened. */
const granted = new WeakSet();

/** True while a call only reads. */
let readsOnly = true;

/** The next calls may write, or not. */
export function allowWriting(allowed) {
  readsOnly = !allowed;
}

/** Remembers where a granted directory is. */
export function place(descriptor, directory) {
  places.set(descriptor, directory);
  granted.add(descriptor);
}

/** Puts the rules into the shim's class of descriptors, once in a worker. */
export function guard(Descriptor) {
  const { openAt, createDirectoryAt, readDirectory, write } = Descriptor.prototype;
  const rules = {
    openAt(pathFlags, path, openFlags, flags) {
      if (openFlags.create || flags.write) refuseWhereOnlyRead();
      const opened = openAt.call(this, pathFlags, path, openFlags, flags);
      const here = places.get(this);
      if (openFlags.directory) places.set(opened, join(here, path));
      if (openFlags.create) makePrivate(join(here, path), 0o600);
      return opened;
    },
    createDirectoryAt(path) {
      refuseWhereOnlyRead();
      createDirectoryAt.call(this, path);
      makePrivate(join(places.get(this), path), 0o700);
    },
    readDirectory() {
      // The shim lists directories that were opened, not the one that was granted.
      if (!granted.has(this)) return readDirectory.call(this);
      const opened = openAt.call(this, {}, ".", { directory: true }, { read: true });
      try {
        return readDirectory.call(opened);
      } finally {
        opened[Symbol.dispose ?? Symbol.for("dispose")]();
      }
    },
    write(bytes, offset) {
      // The shim names what goes wrong by the host's error; the contract wants WASI's.
      try {
        return write.call(this, bytes, offset);
      } catch (error) {
        throw error?.code === "ENOSPC" ? "insufficient-space" : error?.code === "EDQUOT" ? "quota" : error;
      }
    },
  };
  for (const name of ["renameAt", "unlinkFileAt"]) {
    const method = Descriptor.prototype[name];
    rules[name] = function (...given) {
      refuseWhereOnlyRead();
      return method.apply(this, given);
    };
  }
  Object.assign(Descriptor.prototype, rules);
}

function refuseWhereOnlyRead() {
  if (readsOnly) throw "read-only";
}

function makePrivate(path, mode) {
  // Windows has access lists: a file inherits that of its folder.
  if (process.platform !== "win32") chmodSync(path, mode);
}
