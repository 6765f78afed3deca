// Functions whose results go through `offload`.

import { invalid, options } from "./given.js";

/** The function, with what it returns going through `offload`: it returns its own value, the response, or a text. */
export function wrapped(lro, fn, given) {
  if (typeof fn !== "function") throw invalid("wrap takes a function");
  const { operation = fn.name || "tool", ...request } = options(given, "the options of wrap");
  const call = async function (...values) {
    const value = await fn.apply(this, values);
    // A function that returns nothing has no result.
    return value === undefined ? value : (await lro.offload({ ...request, operation, value })).result;
  };
  return Object.defineProperty(call, "name", { value: fn.name, configurable: true });
}
