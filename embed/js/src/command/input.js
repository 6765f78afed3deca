// Where data comes from: a file, or standard input. It is text in UTF-8, or in an encoding that is named.

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";

import { Failure, reason } from "./failure.js";
import { remark } from "./output.js";

/** All bytes of FILE; of standard input for `-`. */
export async function bytesOfInput(file) {
  try {
    return file === "-" ? await buffer(process.stdin) : readFileSync(file);
  } catch (error) {
    throw new Failure("io", `cannot read ${file === "-" ? "standard input" : `\`${file}\``}: ${reason(error)}`);
  }
}

export async function textOfInput(file, encoding) {
  const bytes = await bytesOfInput(file);
  const name = file === "-" ? "standard input" : `\`${file}\``;
  if (encoding !== undefined && !(encoding === "utf-8" && isUtf8(bytes))) return decoded(bytes, name, encoding);
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  throw new Failure("invalid-argument", `cannot read ${name} as text: it is not UTF-8`, {
    hint: "name its encoding with --encoding, such as latin1 or utf-16le, if it is text",
  });
}

function decoded(bytes, name, encoding) {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    remark(`${name} is decoded from ${encoding}; what is stored, and what \`lro rebuild\` prints, is UTF-8`);
    return text;
  } catch {
    throw new Failure("invalid-argument", `cannot read ${name} as text: it has bytes that are not valid in ${encoding}`, { hint: "name the encoding that it is in: --encoding NAME" });
  }
}

/** An encoding by a name of the WHATWG standard. */
export function encoding(name, flag) {
  const label = name.toLowerCase().replace("latin-", "latin");
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw Failure.usage(`\`${flag}\` takes utf-8, utf-16le, latin-1, shift_jis, …, not \`${name}\``);
  }
}

/** The text of a file that a flag names. */
export function textOfFile(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw Failure.file(`read \`${file}\``, error);
  }
}

/** The value of a JSON file. */
export function jsonOf(what) {
  return (file) => {
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch (error) {
      throw Failure.file(`read ${what} from \`${file}\``, error);
    }
  };
}
