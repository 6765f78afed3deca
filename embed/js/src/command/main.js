#!/usr/bin/env node
// The command in JavaScript: `npx lro-component proxy -- …`. It hands over to the native command where that is installed
// beside it, because that one starts faster and has more commands.

import module from "node:module";

// Node keeps what it has compiled, where it can: a second start is faster.
module.enableCompileCache?.();

const words = process.argv.slice(2);
const { handOver, nativeCommand } = await import("./native.js");
const native = nativeCommand();
let status = native && (await handOver(native, words));
if (status === undefined) {
  const { run } = await import("./commands.js");
  status = await run(words);
}
process.exitCode = status;
