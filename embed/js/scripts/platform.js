// Makes the package of a platform, which has the native command: `node scripts/platform.js BINARY PLATFORM-ARCH OUT` writes
// `OUT/lro-component-PLATFORM-ARCH-VERSION.tgz`. Equal binaries give equal files.
//
// The main package takes it as an optional dependency when it is packed with its name (scripts/pack.js).

import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { platformPackage, programName } from "../src/command/native.js";
import { packed, staged } from "./pack.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** The platforms as node names them, and their processors. */
const TARGET = /^(linux|darwin|win32)-(x64|arm64)$/;

/** How much of a program says which interpreter starts it. */
const HEAD_BYTES = 4096;

/** The folder of a package with a native command, which npm packs. Returns the path of what was packed. */
export function packPlatform(binary, target, out) {
  const [, platform, arch] = TARGET.exec(target) ?? [];
  if (!platform) throw new Error(`\`${target}\` is not a platform: linux-x64, linux-arm64, darwin-x64, darwin-arm64, win32-x64, win32-arm64`);
  const program = programName(platform);
  return staged((folder) => {
    mkdirSync(join(folder, "bin"));
    copyFileSync(binary, join(folder, "bin", program));
    chmodSync(join(folder, "bin", program), 0o755);
    for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(PACKAGE, name), join(folder, name));
    writeFileSync(join(folder, "README.md"), `# ${platformPackage(platform, arch)}\n\nThe native command \`lro\` for the package \`lro-component\`, which uses it where it is installed.\n`);
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(platform, arch, binary), undefined, 2)}\n`);
    return packed(folder, out);
  });
}

function manifest(platform, arch, binary) {
  const { version, license } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  const name = platformPackage(platform, arch);
  const needsGlibc = readFileSync(binary).subarray(0, HEAD_BYTES).includes("ld-linux");
  const libc = platform === "linux" && needsGlibc ? { libc: ["glibc"] } : {};
  const description = `The native command lro of lro-component, for ${platform} on ${arch}`;
  return { name, version, description, license, os: [platform], cpu: [arch], ...libc, files: ["bin", "LICENSE-MIT", "LICENSE-APACHE"] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [binary, target, out] = process.argv.slice(2);
  if (!out) throw new Error("usage: node scripts/platform.js BINARY PLATFORM-ARCH OUT");
  console.log(packPlatform(binary, target, out));
}
