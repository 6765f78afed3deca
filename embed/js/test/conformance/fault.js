// Loaded into the component's thread before anything else: its disk is full, can only be read, or is broken in a way
// that WASI has no word for, which ends the call in a trap. The shim's own thread inherits it and stays as it is.

import { workerData } from "node:worker_threads";

if (workerData?.modules) {
  const { types } = await import("@bytecodealliance/preview2-shim/filesystem");
  const { prototype } = types.Descriptor;
  const fault = new URL(import.meta.url).search;
  if (fault !== "?read-only") {
    prototype.write = () => {
      throw fault === "?full" ? "insufficient-space" : new Error("a broken disk");
    };
  } else {
    const { openAt } = prototype;
    prototype.openAt = function (pathFlags, path, openFlags, flags) {
      if (openFlags.create || flags.write) refuse();
      return openAt.call(this, pathFlags, path, openFlags, flags);
    };
    for (const method of ["createDirectoryAt", "renameAt", "unlinkFileAt"]) prototype[method] = refuse;
  }
}

function refuse() {
  throw "read-only";
}
