// Loaded into the component's thread before anything else: its disk is full, can only be read, or is broken in a way
// that node has no code for, which ends the call in a trap. With `endless`, a write never ends.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { workerData } = require("node:worker_threads");

const faults = {
  full: () => {
    fs.writeSync = () => refuse("ENOSPC");
  },
  broken: () => {
    fs.writeSync = () => refuse();
  },
  endless: () => {
    fs.writeSync = () => {
      for (;;);
    };
  },
  "read-only": () => {
    const { openSync } = fs;
    const writes = fs.constants.O_CREAT | fs.constants.O_WRONLY;
    fs.openSync = (path, flags, mode) => (flags & writes ? refuse("EROFS") : openSync(path, flags, mode));
    for (const name of ["mkdirSync", "renameSync", "unlinkSync"]) fs[name] = () => refuse("EROFS");
  },
};

if (workerData?.modules) {
  faults[process.argv.at(-1)]();
  syncBuiltinESMExports();
}

function refuse(code) {
  throw Object.assign(new Error("a broken disk"), code && { code });
}
