// Reads the arguments of a subcommand by its table of flags.
//
// A flag is `{ name, value, help, … }`: `value` is what stands for its value in the help, absent for a switch; `aliases`,
// `short` and `repeats` say how it is written; `read` turns the text into what is meant; `without` are flags that it excludes,
// and `needs` is one that it does not go without.

import { Failure, HOW } from "./failure.js";
import { GLOBAL_FLAGS } from "./settings.js";

/** The flags by their keys (`outputDir` of `--output-dir`), and what stands beside them. */
export function parse({ FLAGS = [], ARGUMENTS = [], NATIVE_FLAGS = [], TRAILING }, words, command) {
  const known = [...FLAGS, ...GLOBAL_FLAGS];
  const values = {};
  const others = [];
  let place = 0;
  while (place < words.length) {
    const word = words[place++];
    if (word === "--") {
      others.push(...words.slice(place));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      others.push(word);
      // What follows belongs to the command that is started.
      if (TRAILING) {
        others.push(...words.slice(place));
        break;
      }
      continue;
    }
    const [name, attached] = apart(word);
    const flag = known.find((flag) => isCalled(flag, name));
    if (!flag) throw unknown(name, command, NATIVE_FLAGS);
    if (flag.value === undefined) {
      if (attached !== undefined) throw Failure.usage(`\`${name}\` takes no value`);
      values[keyOf(flag)] = true;
      continue;
    }
    if (attached === undefined && place >= words.length) throw Failure.usage(`\`${name}\` needs a value: ${name} ${flag.value}`);
    add(values, flag, attached ?? words[place++]);
  }
  checkTogether(FLAGS, values);
  return { ...values, ...placed(ARGUMENTS, others, command, TRAILING) };
}

/** `--name=value`, `-C5` and what has its value in the next word. */
function apart(word) {
  if (!word.startsWith("--")) return word.length > 2 ? [word.slice(0, 2), word.slice(2).replace(/^=/, "")] : [word];
  const equals = word.indexOf("=");
  return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
}

function isCalled({ name, aliases = [], short }, written) {
  return [name, ...aliases].some((one) => written === `--${one}`) || (short !== undefined && written === `-${short}`);
}

function unknown(name, command, native) {
  if (native.includes(name.slice(2))) return Failure.usage(`\`${command} ${name}\` is not in this package; ${HOW}`);
  return Failure.usage(`\`${name}\` is not a flag of \`${command}\`: see \`${command} --help\`; ${HOW.replace("has it", "may have it")}`);
}

export function keyOf({ name, key }) {
  return key ?? name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

function add(values, flag, text) {
  const key = keyOf(flag);
  const value = flag.read ? flag.read(text, `--${flag.name}`) : text;
  if (flag.repeats) (values[key] ??= []).push(value);
  else if (values[key] !== undefined) throw Failure.usage(`\`--${flag.name}\` is given twice`);
  else values[key] = value;
}

/** Flags that exclude or need each other: a failure has the words of the native command, and names the first one first. */
function checkTogether(flags, values) {
  const given = Object.keys(values).map((key) => flags.find((flag) => keyOf(flag) === key)).filter(Boolean);
  const excludes = ({ without = [] }, { name }) => without.includes(name);
  for (const flag of given) {
    const other = given.find((one) => excludes(flag, one) || excludes(one, flag));
    if (other) throw Failure.usage(`the argument '${written(flag)}' cannot be used with '${written(other)}'`);
    const needed = flags.find(({ name }) => name === flag.needs);
    if (needed && !given.includes(needed)) throw Failure.usage(`the following required arguments were not provided: ${written(needed)}`);
  }
}

/** A flag as the help has it. */
export function written({ name, value }) {
  return `--${name}${value ? ` <${value}>` : ""}`;
}

/** The words that are not flags, by the names of the arguments. */
function placed(names, words, command, trailing) {
  if (trailing) {
    if (words.length === 0) throw Failure.usage(`\`${command}\` needs a command to run; write it at the end: ${command} -- COMMAND`);
    return { [trailing]: words };
  }
  const missing = names.find((argument, place) => !argument.optional && words[place] === undefined);
  if (missing) throw Failure.usage(`\`${command}\` needs ${missing.value}: see \`${command} --help\``);
  if (words.length > names.length) throw Failure.usage(`\`${words[names.length]}\` is one argument too many for \`${command}\``);
  return Object.fromEntries(words.map((word, place) => [names[place].name, word]));
}
