// An `Lro` for a program whose model calls our tools. A problem of this machine, such as a full disk, does not end the program.

import { Lro } from "./index.js";
import { telling } from "./telling.js";

/** The opened `Lro`, and `own`: the one to close at the end, unless it was given. */
export async function openForTools({ lro: given, ...options }) {
  const base = given ? await changed(given, options) : await Lro.open(options);
  // Decision 9: the guidance points to the tool if and only if it is offered.
  const lro = await base.with({
    guidance: base.settings.offer_tools ? "tool" : "shell",
    defaults: options.defaults ?? "agent",
  });
  return { base, lro, own: given ? undefined : base };
}

/** Settings beside an `Lro` that is given hold for this use of it. */
function changed(lro, options) {
  return Object.keys(options).length === 0 ? lro : lro.with(options);
}

/** What `open` returns, or `otherwise` if this machine has no room for our files. Invalid options are reported at once. */
export async function unlessUnavailable(open, otherwise, onEvent = logged) {
  try {
    return await open();
  } catch (error) {
    if (!["io", "unusable"].includes(error.case)) throw error;
    const { case: name, message, hint } = error;
    telling(onEvent)([{ name: "OffloadingUnavailable", message: `nothing is offloaded: ${message}`, fields: { case: name, message, hint } }]);
    return otherwise();
  }
}

const told = new Set();

/** Once for each reason: some programs open for each request. */
function logged({ message }) {
  if (told.has(message)) return;
  told.add(message);
  console.error(`lro: ${message}`);
}
