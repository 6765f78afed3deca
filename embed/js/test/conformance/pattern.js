// Expected values against found ones, by the four rules that stand in `tests/cases/case.schema.json`.

/** Says where and how `found` differs from `expected`, the first time that it does. */
export function mismatch(expected, found, names, path = "") {
  const differs = () => `${path || "."}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
  if (expected === "{{any}}") return undefined;
  if (isObject(expected) && isObject(found)) {
    for (const [key, value] of Object.entries(expected)) {
      const at = `${path}.${key}`;
      const isThere = Object.hasOwn(found, key) && found[key] !== undefined;
      if (value === "{{absent}}") {
        if (isThere) return `${at}: expected nothing, found ${JSON.stringify(found[key])}`;
        continue;
      }
      if (!isThere) return `${at}: expected ${JSON.stringify(value)}, found nothing`;
      const difference = mismatch(value, found[key], names, at);
      if (difference) return difference;
    }
    return undefined;
  }
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    for (const [i, value] of expected.entries()) {
      const difference = mismatch(value, found[i], names, `${path}[${i}]`);
      if (difference) return difference;
    }
    return undefined;
  }
  if (typeof expected === "string" && typeof found === "string") {
    return names.matches(expected, found) ? undefined : differs();
  }
  return Object.is(expected, found) || expected === found ? undefined : differs();
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
