// Options are camelCase, the contract's JSON is snake_case.

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/[-_]([a-z])/g, (_, letter) => letter.toUpperCase());

/** The object with its own keys in snake_case; what they hold stays. Keys without a value are left out. */
export function toContract(options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [snake(name), value]));
}

/** The object with its own keys in camelCase; what they hold stays. */
export function fromContract(object) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camel(name), value]));
}
