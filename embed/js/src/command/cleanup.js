// `cleanup`: deletes expired offloaded files.

import { Events } from "./events.js";
import { counted, write } from "./output.js";
import { EVENTS, OUTPUT_DIR, TTL, sources } from "./settings.js";
import { there, withLro } from "./source.js";
import { number } from "./values.js";

export const ABOUT = "Delete expired files, and nothing else";

export const FLAGS = [
  { ...OUTPUT_DIR, help: "The directory with the files [default: lro-UID in the temporary directory]" },
  { ...TTL, help: "Seconds after which a file without a TTL of its own expires [default: 3600]" },
  { name: "max-files", value: "N", read: number, help: "Keep at most this many files; the oldest are deleted first" },
  { name: "max-bytes", value: "N", read: number, help: "Keep at most this many bytes; the oldest files are deleted first" },
  { name: "session", value: "NAME", help: "Clean up only this folder of the output directory" },
  { name: "dry-run", help: "Print what would be deleted, and delete nothing" },
  EVENTS,
];

export const NATIVE_FLAGS = ["watch", "store"];

export async function run(flags) {
  const { ttlSeconds, maxFiles, maxBytes, session, dryRun } = flags;
  return withLro({ ...sources(flags), outputDir: there(flags.outputDir, "clean up") }, async (lro) => {
    const only = session === undefined ? {} : { session };
    const { deleted, freedBytes, kept, events } = await lro.cleanup({ ttlSeconds, maxFiles, maxBytes, ...only, dryRun });
    const told = new Events(flags.events);
    if (dryRun) told.reportDryRun(events);
    else told.report(events);
    await write(`${dryRun ? "would delete" : "deleted"} ${counted(deleted, "file")} (${freedBytes} bytes), kept ${kept}\n`);
  });
}
