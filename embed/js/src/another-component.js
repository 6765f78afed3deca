// The core module of another component, such as the one with the vocabularies of exact tokenizers: `lro component
// --exact-tokens` writes it. What binds the modules stays, so it must be of the same version.

import { readFile } from "node:fs/promises";

import { coreModules, isComponent, largest } from "./core-modules.js";
import { LroError } from "./error.js";
import { MOST_PAGES } from "./limits.js";
import { withMaximumMemory } from "./maximum-memory.js";

/** The guest's module in the component of a file, compiled. */
export async function compileCore(file) {
  try {
    const component = await readFile(file);
    if (!isComponent(component)) throw new Error("it is not a component");
    return await WebAssembly.compile(withMaximumMemory(largest(coreModules(component)), MOST_PAGES));
  } catch (error) {
    const hint = "give the path of a file that `lro component --exact-tokens` has written, of the version of this package";
    throw new LroError({ case: "unusable", message: `cannot load the component \`${file}\`: ${error.message}`, hint }, { cause: error });
  }
}
