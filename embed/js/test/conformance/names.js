// The names that stand in a case's texts as `{{name}}`.

const ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const TIMESTAMP = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z";
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export class Names {
  #values = new Map();

  set(name, text) {
    this.#values.set(name, text);
  }

  get(name) {
    return this.#values.get(name);
  }

  /** The text with its names replaced; names that are not known stay. */
  fill(text) {
    return text.replace(/\{\{(.*?)\}\}/gs, (whole, name) => this.#value(name) ?? whole);
  }

  /** A value with the names in all its texts replaced. */
  fillAll(value) {
    if (typeof value === "string") return this.fill(value);
    if (Array.isArray(value)) return value.map((item) => this.fillAll(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fillAll(item)]));
  }

  /** True for a text that is as the expected one says. */
  matches(expected, found) {
    // Names that stand for one text need no pattern, and may stand for more than a pattern can hold.
    return this.fill(expected) === found || (/\{\{(any|ulid|timestamp)\}\}/.test(expected) && this.#pattern(expected).test(found));
  }

  #pattern(text) {
    const pieces = text.split(/\{\{(.*?)\}\}/s);
    const known = { any: ".*", ulid: ULID, timestamp: TIMESTAMP };
    const patterns = pieces.map((piece, i) => (i % 2 === 0 ? escaped(piece) : (known[piece] ?? escaped(this.#value(piece) ?? ""))));
    return new RegExp(`^${patterns.join("")}$`, "s");
  }

  #value(name) {
    if (this.#values.has(name)) return this.#values.get(name);
    const repetition = /^repeat (\d+) (.*)$/s.exec(name);
    if (repetition) return repetition[2].repeat(Number(repetition[1]));
    const moment = /^(now|ulid)-(\d+)s$/.exec(name);
    if (!moment) return undefined;
    const milliseconds = (Math.floor(Date.now() / 1000) - Number(moment[2])) * 1000;
    return moment[1] === "now" ? new Date(milliseconds).toISOString().replace(".000Z", "Z") : ulid(milliseconds);
  }
}

/** A ULID of a moment, its random part being zero. */
function ulid(milliseconds) {
  const digits = Array.from({ length: 10 }, (_, place) => CROCKFORD[Math.floor(milliseconds / 32 ** (9 - place)) % 32]);
  return digits.join("") + "0".repeat(16);
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
