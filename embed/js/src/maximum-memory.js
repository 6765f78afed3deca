// A core module's memory gets a maximum: neither V8 nor a worker's resource limits bound what WebAssembly allocates.

const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 0x01;

/** The module with `pages` (of 64 KiB) as the maximum of its one memory, which has none yet. */
export function withMaximumMemory(module, pages) {
  for (let at = 8; at < module.length; ) {
    const id = module[at];
    const [size, start] = readNumber(module, at + 1);
    if (id === MEMORY_SECTION) {
      const section = module.subarray(start, start + size);
      const [count, flagsAt] = readNumber(section, 0);
      if (count !== 1 || section[flagsAt] !== 0) {
        throw new Error("one memory without a maximum is expected: the component is built otherwise than it was");
      }
      const [minimum] = readNumber(section, flagsAt + 1);
      const body = Uint8Array.from([1, HAS_MAXIMUM, ...number(minimum), ...number(pages)]);
      return joined([module.subarray(0, at), [MEMORY_SECTION, ...number(body.length)], body, module.subarray(start + size)]);
    }
    at = start + size;
  }
  throw new Error("the module has no memory of its own");
}

/** An unsigned LEB128 number and where it ends. */
export function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

/** A number as unsigned LEB128. */
function number(value) {
  const bytes = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) | (rest > 0 ? 0x80 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}

/** Parts in a row. Browsers run this too, so it is without node's buffers. */
function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
