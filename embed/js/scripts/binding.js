// jco's binding of the component as node and browsers run it.

/** Replaces one part of a binding; what is not there has changed in jco. */
function replaced(code, [part, other]) {
  if (code.split(part).length !== 2) throw new Error(`jco binds otherwise than it did: ${part}`);
  return code.replace(part, () => other);
}

/** `texts` is where the binding finds `src/texts.js`. */
export function finishedBinding(code, texts) {
  const changes = [
    // A text that begins with a byte order mark keeps it: what came in comes back byte for byte. A large one stays UTF-8.
    ["const TEXT_DECODER_UTF8 = new TextDecoder();", "const TEXT_DECODER_UTF8 = { decode: textOf };"],
    // jco measures a text character by character before it encodes it.
    ["  function _utf8AllocateAndEncode(s, realloc, memory) {\n", `${ENCODE}\n  function _utf8MeasureAndEncode(s, realloc, memory) {\n`],
  ];
  return `import { decode as textOf, encode as bytesOf } from "${texts}";\n${changes.reduce(replaced, code)}`;
}

const ENCODE = `  function _utf8AllocateAndEncode(s, realloc, memory) {
    const bytes = bytesOf(s);
    if (bytes.length === 0) return { ptr: 1, len: 0 };
    const ptr = realloc(0, 0, 1, bytes.length);
    new Uint8Array(memory.buffer, ptr, bytes.length).set(bytes);
    return { ptr, len: bytes.length };
  }
`;
