// Functions whose results go through `offload`.

import { invalid, options } from "./given.js";
import { telling } from "./telling.js";

/** The function, with what it returns going through `offload`: it returns its own value, the response, or a text. */
export function wrapped(lro, fn, given) {
  if (typeof fn !== "function") throw invalid("wrap takes a function");
  const { operation = fn.name || "tool", onEvent, ...request } = options(given, "the options of wrap");
  const tell = telling(onEvent);
  const call = async function (...values) {
    const value = await fn.apply(this, values);
    // A function that returns nothing has no result.
    if (value === undefined) return value;
    const { result, events } = await lro.offload({ ...request, operation, value });
    tell(events);
    return result;
  };
  return Object.defineProperty(call, "name", { value: fn.name, configurable: true });
}
