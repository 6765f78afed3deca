// Packs the main package: `node scripts/pack.js OUT [PLATFORM-ARCH …]`. For each platform that is named, the package with the
// native command (scripts/platform.js) is an optional dependency of this very version. In the repository there is none,
// because a lock file cannot name what has not been published.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { platformPackage } from "../src/command/native.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const isWindows = process.platform === "win32";

/** Packs the main package into a folder. Returns the path of what was packed. */
export function packMain(out, targets = []) {
  // `prepack` builds what is missing.
  const [{ files }] = JSON.parse(npm(["pack", "--dry-run", "--json"], PACKAGE));
  return staged((folder) => {
    for (const { path } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      copyFileSync(join(PACKAGE, path), join(folder, path));
    }
    const { scripts: _, devDependencies: __, ...manifest } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    const names = targets.map((target) => platformPackage(...target.split("-"))).sort();
    if (names.length > 0) manifest.optionalDependencies = Object.fromEntries(names.map((name) => [name, manifest.version]));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    return packed(folder, out);
  });
}

/** Packs a folder that is a package. */
export function packed(folder, out) {
  mkdirSync(out, { recursive: true });
  const [{ filename }] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", resolve(out)], folder));
  return join(resolve(out), filename);
}

/** What a function returns that gets a folder, which is gone afterwards. */
export function staged(use) {
  const folder = mkdtempSync(join(tmpdir(), "lro-pack-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function npm(words, cwd) {
  const options = { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], shell: isWindows, maxBuffer: 64 << 20 };
  // What scripts print comes before the JSON.
  const told = execFileSync(isWindows ? "npm.cmd" : "npm", words, options);
  return told.slice(told.search(/^\[/m));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, ...targets] = process.argv.slice(2);
  if (!out) throw new Error("usage: node scripts/pack.js OUT [PLATFORM-ARCH …]");
  console.log(packMain(out, targets));
}
