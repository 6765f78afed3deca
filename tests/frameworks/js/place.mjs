// Puts the package lro-component where npm would: the frameworks that it imports are beside it then.
//
//   node place.mjs FOLDER_OF_THE_BUILT_PACKAGE

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

const [source] = process.argv.slice(2);
const target = join(import.meta.dirname, "node_modules", "lro-component");
const [{ files }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: source, stdio: ["ignore", "pipe", "ignore"] }));
rmSync(target, { recursive: true, force: true });
for (const { path } of files) cpSync(join(source, path), join(target, path));
