// Which columns a table of records has: fields that are short, and tell records apart.

/** More columns than these are a choice of the reader. */
const MOST_COLUMNS = 6;

/** A field with longer examples is for the record itself. */
const LONG_CHARACTERS = 60;

/** Fields by which people know a record, whatever their length. */
const TITLES = /(^|\.)(title|name|subject|summary|message|label|path|key)$/i;

/** Path of a field that a criterion can name without quotes. */
const PLAIN = /^(\.[A-Za-z_]\w*)+$/;

const SCALARS = ["string", "number", "boolean", "null"];

/** The fields that can be columns, from what `lro_describe` says, those that are columns first. */
export function columnsOf({ fields = [] }) {
  const plain = fields.filter(({ path, types }) => PLAIN.test(path) && types.every((type) => SCALARS.includes(type)));
  const found = plain.map((field) => ({ name: field.path.slice(1), isNumber: isNumber(field), rank: rank(field) }));
  const ranked = found.map((column, place) => ({ ...column, place })).sort((one, other) => one.rank - other.rank || one.place - other.place);
  return ranked.map(({ name, isNumber }, at) => ({ name, isNumber, isShown: at < MOST_COLUMNS }));
}

/** The columns of results that nothing is known about: the keys of the first of them. */
export function columnsOfResults(results) {
  const names = new Set(results.slice(0, 50).flatMap((result) => (isObject(result) ? Object.keys(result) : [])));
  return [...names].map((name, at) => ({
    name,
    isNumber: results.every((result) => !isObject(result) || result[name] == null || typeof result[name] === "number"),
    isShown: at < 2 * MOST_COLUMNS,
  }));
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber({ types }) {
  return types.every((type) => type === "number" || type === "null");
}

/** Titles first, then what is short, then what is below other fields. */
function rank({ path, examples = [] }) {
  const depth = path.split(".").length - 2;
  if (depth === 0 && TITLES.test(path)) return 0;
  const isLong = examples.some((example) => example.length > LONG_CHARACTERS || example.endsWith("…"));
  return (isLong ? 100 : 10) + depth;
}
