// The core module of another component, such as the one with the vocabularies of exact tokenizers: `lro component
// --exact-tokens` writes it. What binds the modules stays, so it must be of the same version.

import { readFile } from "node:fs/promises";

import { LroError } from "./error.js";
import { MOST_PAGES } from "./limits.js";
import { readNumber, withMaximumMemory } from "./maximum-memory.js";

const CORE_MODULE = 1;

/** How a component begins: `\0asm`, and the version and layer of components. */
const COMPONENT = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];

/** The guest's module in the component of a file, compiled. */
export async function compileCore(file) {
  try {
    const component = await readFile(file);
    if (COMPONENT.some((byte, at) => component[at] !== byte)) throw new Error("it is not a component");
    return await WebAssembly.compile(withMaximumMemory(largest(coreModules(component)), MOST_PAGES));
  } catch (error) {
    const hint = "give the path of a file that `lro component --exact-tokens` has written, of the version of this package";
    throw new LroError({ case: "unusable", message: `cannot load the component \`${file}\`: ${error.message}`, hint }, { cause: error });
  }
}

function coreModules(component) {
  const modules = [];
  for (let at = COMPONENT.length; at < component.length; ) {
    const [size, start] = readNumber(component, at + 1);
    if (component[at] === CORE_MODULE) modules.push(component.subarray(start, start + size));
    at = start + size;
  }
  return modules;
}

/** The others only bind functions. */
function largest(modules) {
  return modules.reduce((one, other) => (other.length > one.length ? other : one));
}
