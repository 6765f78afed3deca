// Copies of objects of others.

/** The same with other properties: what it inherits, and what is not enumerated, stays. */
export function copyWith(object, changes) {
  const copy = Object.create(Object.getPrototypeOf(object), Object.getOwnPropertyDescriptors(object));
  for (const [key, value] of Object.entries(changes)) {
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}

/** The same object, with other properties seen from outside. Its methods have it as it is. */
export function seenWith(object, changes) {
  return new Proxy(object, {
    get(_, key) {
      if (Object.hasOwn(changes, key)) return changes[key];
      const value = object[key];
      return typeof value === "function" && key !== "constructor" ? value.bind(object) : value;
    },
    set(_, key, value) {
      object[key] = value;
      return true;
    },
  });
}

/** The object, which `await using` closes. Nobody who looks at its members sees it. */
export function closedBy(object, close) {
  return Object.defineProperty(object, Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose"), { value: close, configurable: true });
}
