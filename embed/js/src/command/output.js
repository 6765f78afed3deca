// Standard output and standard error of a command.

import { writeSync } from "node:fs";

/** Control characters, and those that change how others are shown. */
const HIDDEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Writes a text, and waits until it has been taken. */
export function write(text) {
  return new Promise((resolve, reject) => {
    process.stdout.once("error", reject);
    process.stdout.write(text, (error) => {
      process.stdout.off("error", reject);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Where lines for people go, if not to standard error. */
let elsewhere;

/** From now on, remarks go to a function. */
export function sendRemarksTo(take) {
  elsewhere = take;
}

/** Writes a line on standard error, as ours. What it quotes cannot end the line or reach the terminal. */
export function remark(text) {
  remarkLine(`lro: ${printable(text)}`);
}

/** The same for a line that is complete. */
export function remarkLine(line) {
  if (elsewhere) return elsewhere(line);
  try {
    // A stream of node's would make the descriptor non-blocking, which a server shares.
    writeSync(2, `${line}\n`);
  } catch {
    // A closed or full standard error is no reason to fail.
  }
}

/** The text with control characters and invisible characters as `\u{…}`. */
export function printable(text) {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** A number with its noun. */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
