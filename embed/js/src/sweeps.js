// When the output directories of this process are swept: all that use one share its sweeps.

/** When each directory was swept last. */
const swept = new Map();

// Directories that nobody sweeps any more are forgotten, all at once.
const MOST_DIRECTORIES = 256;

// A timer may be a little early.
const TOLERANCE = 0.9;

/** True if a directory has not been swept for so long, and it is noted as swept now. */
export function isDue(directory, everyMs) {
  const now = Date.now();
  if (now - (swept.get(directory) ?? -Infinity) < everyMs * TOLERANCE) return false;
  if (swept.size >= MOST_DIRECTORIES) swept.clear();
  swept.set(directory, now);
  return true;
}
