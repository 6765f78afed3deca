// The native command, where a package for this platform has it.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";

/** The platforms that packages may be built for. */
export function platformPackage(platform = process.platform, arch = process.arch) {
  return `lro-component-${platform}-${arch}`;
}

/** The name of the program in such a package. */
export function programName(platform = process.platform) {
  return platform === "win32" ? "lro.exe" : "lro";
}

/** The path of the native command, unless the variable `LRO_JS` says that JavaScript is wanted. */
export function nativeCommand() {
  if (process.env.LRO_JS && process.env.LRO_JS !== "0") return undefined;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${platformPackage()}/package.json`);
    const program = join(dirname(manifest), "bin", programName());
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/** Signals that end a program, which the other one gets too. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Runs the native command in our place, and returns its exit status; undefined if this system cannot start it. */
export function handOver(program, words) {
  const child = spawn(program, words, { stdio: "inherit" });
  const pass = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  return new Promise((resolve) => {
    child.on("error", () => {
      for (const signal of SIGNALS) process.off(signal, pass);
      resolve(undefined);
    });
    child.on("exit", (status, signal) => resolve(status ?? 128 + constants.signals[signal]));
  });
}
