// Settings as the component has them.

import { invalid, text } from "./given.js";
import { SHORT_MS } from "./limits.js";
import { toContract } from "./names.js";

/** Only variables with a prefix may hold settings, so only those are shown to the component: this one, unless another is set. */
const VARIABLES = "ATLATL_PROMPT__OFFLOAD__";

/** Resolves settings from a TOML file's text, variables and explicit values by our names: every key is present. */
export async function resolved(engine, { settingsText = "", environment = {}, ...explicit }) {
  const contract = explicitSettings(explicit);
  const prefix = contract.environment_prefix ?? VARIABLES;
  const variables = Object.entries(environment).filter(([name, value]) => name.startsWith(prefix) && value !== undefined);
  const texts = [settingsText, variables, text(contract, "the settings")];
  const limits = { operation: "resolving the settings", milliseconds: SHORT_MS };
  return JSON.parse(await engine.write(undefined, ["configuration", "resolve"], texts, limits));
}

/** Settings where results go to a key-value store: no shell can read them, so responses point to our tools. */
export function withStore({ store, ...others }) {
  if (typeof store !== "object" || store === null) return { store, ...others };
  if (others.outputDir !== undefined) throw invalid("both outputDir and store are given: results are kept in one of them");
  return { guidance: "tool", descriptor: "compact", ...others, store: "file" };
}

function explicitSettings({ tools, call, ...others }) {
  const explicit = toContract(others);
  if (call) explicit.call = toContract(call);
  if (tools) explicit.tools = Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, toContract(tool)]));
  return explicit;
}
