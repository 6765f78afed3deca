// Options are camelCase, the contract's JSON is snake_case.

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/[-_]([a-z])/g, (_, letter) => letter.toUpperCase());

/** The object with its own keys in snake_case; what they hold stays. Keys without a value are left out. */
export function toContract(options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [snake(name), value]));
}

/** Names of a request's options that a message may have outside of the list of all of them. */
const OF_REQUESTS = /\b(?:group_by|sort_by|per_group|max_bytes|chunk_bytes|ignore_case)\b/g;

/** A message about options, with their names as callers write them. */
export function inCamelCase(message) {
  // The names of a settings file stay, and so do those of a record's fields.
  const isAboutKeys = /^cannot read (?:settings|the \w+ request)/.test(message);
  return message.replace(isAboutKeys ? /`[a-z]+(?:_[a-z]+)+`/g : OF_REQUESTS, camel);
}

/** The object with its own keys in camelCase; what they hold stays. */
export function fromContract(object) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camel(name), value]));
}
