// The core modules inside of a component: the guest, and the small ones that bind it.

import { readNumber } from "./maximum-memory.js";

const CORE_MODULE = 1;

/** How a component begins: `\0asm`, and the version and layer of components. */
const COMPONENT = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];

export function isComponent(bytes) {
  return COMPONENT.every((byte, at) => bytes[at] === byte);
}

/** The modules in their order. */
export function coreModules(component) {
  const modules = [];
  for (let at = COMPONENT.length; at < component.length; ) {
    const [size, start] = readNumber(component, at + 1);
    if (component[at] === CORE_MODULE) modules.push(component.subarray(start, start + size));
    at = start + size;
  }
  return modules;
}

/** The guest: the others only bind functions. */
export function largest(modules) {
  return modules.reduce((one, other) => (other.length > one.length ? other : one));
}
