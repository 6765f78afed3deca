// What the values of flags may be.

import { Failure } from "./failure.js";

/** A whole number that is not negative. */
export function number(text, name) {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw Failure.usage(`\`${name}\` takes a whole number, not \`${text}\``);
}

export function fraction(text, name) {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw Failure.usage(`\`${name}\` takes a number, not \`${text}\``);
}

export function seconds(text, name) {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && Number.isFinite(value)) return value;
  throw Failure.usage(`\`${name}\` takes a number of seconds, not \`${text}\``);
}

/** One of these words. */
export function oneOf(...words) {
  return (text, name) => {
    if (words.includes(text)) return text;
    throw Failure.usage(`\`${name}\` takes ${words.join(" or ")}, not \`${text}\``);
  };
}
