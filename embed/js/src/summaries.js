// Summaries of a result's lists by functions (SECTION-04).

/** A request without the functions in its sections, and these by the paths of their lists. */
export function apart(request) {
  const entries = Object.entries(request.sections ?? {});
  const functions = entries.filter(([, section]) => typeof section?.summary === "function");
  if (functions.length === 0) return { request, functions: [] };
  const plain = entries.map(([path, section]) => {
    if (typeof section?.summary !== "function") return [path, section];
    const { summary, ...others } = section;
    return [path, others];
  });
  const named = functions.map(([path, { summary }]) => [path, summary]);
  return { request: { ...request, sections: Object.fromEntries(plain) }, functions: named };
}

/** The request with what the functions return, and an event for each that failed: the result is offloaded all the same. */
export async function added(request, functions, document) {
  const sections = { ...request.sections };
  const events = [];
  for (const [path, summarise] of functions) {
    try {
      const list = at(document, path);
      if (list !== undefined) sections[path] = { ...sections[path], summary: checked(await summarise(list)) };
    } catch (error) {
      const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      events.push({ name: "SummaryFailed", message: `the summary of \`${path}\` failed: ${told}`, fields: { path, error: told } });
    }
  }
  return { request: { ...request, sections }, events };
}

/** What a text holds. */
export function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const KEY = /\.(?:([A-Za-z_][A-Za-z0-9_]*)|("(?:[^"\\]|\\.)*"))/y;

/** The value at a jq path of keys, if there is one; `.` is the whole. */
function at(document, path) {
  if (path.trim() === ".") return document;
  let value = document;
  KEY.lastIndex = 0;
  for (let place = 0; place < path.length; place = KEY.lastIndex) {
    const found = KEY.exec(path);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    const key = found?.[1] ?? (found ? JSON.parse(found[2]) : undefined);
    if (key === undefined || !isObject || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function checked(summary) {
  if (typeof summary === "string") return summary;
  const isObject = typeof summary === "object" && summary !== null && !Array.isArray(summary);
  if (!isObject) throw new TypeError(`a summary is a text or an object, not ${Array.isArray(summary) ? "an array" : summary === null ? "null" : typeof summary}`);
  return JSON.parse(JSON.stringify(summary));
}
