// Loaded into the component's thread before anything else: its disk is full, can only be read, or is broken in a way
// that WASI has no word for, which ends the call in a trap. With `endless`, a write never ends.

import { workerData } from "node:worker_threads";

if (workerData?.modules) {
  const { Descriptor } = await import("../../src/disk.js");
  const { prototype } = Descriptor;
  const fault = new URL(import.meta.url).search;
  const faults = {
    "?full": () => refuse("insufficient-space"),
    "?broken": () => refuse(new Error("a broken disk")),
    "?endless": () => {
      for (;;);
    },
  };
  if (fault !== "?read-only") {
    prototype.write = faults[fault];
  } else {
    const { openAt } = prototype;
    prototype.openAt = function (pathFlags, path, openFlags, flags) {
      if (openFlags.create || flags.write) refuse("read-only");
      return openAt.call(this, pathFlags, path, openFlags, flags);
    };
    for (const method of ["createDirectoryAt", "renameAt", "unlinkFileAt"]) prototype[method] = () => refuse("read-only");
  }
}

function refuse(reason) {
  throw reason;
}
