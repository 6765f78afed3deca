// Elements of a page, made without markup: what a record holds is only ever text.

/** An element with attributes and properties, and children that are elements or texts. A listener's name begins with `on`. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== undefined && value !== false && value !== null) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A button that is not that of a form. */
export function button(label, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, label);
}

/** A number as people read it. */
export function grouped(number) {
  return number.toLocaleString("en");
}

/** One of several, in words. */
export function counted(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** Characters that change the direction of what follows, or are not seen. Each is shown as its number. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A text of a record, cut to so many characters, with all of it to be seen. */
export function shown(text, characters = Infinity) {
  const cut = text.length > characters ? `${wellCut(text, characters)}…` : text;
  return cut.replace(UNSEEN, (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The first characters, without half of a pair. */
function wellCut(text, characters) {
  return text.slice(0, characters).replace(/[\ud800-\udbff]$/, "");
}
