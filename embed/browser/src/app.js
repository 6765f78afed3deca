// The table in a chat: it begins with the page that the model got, and goes on by calling `lro_extract` through its host. What
// it loads stays in it; the model holds the first page only.

import { element } from "./elements.js";
import { Host } from "./host.js";
import { Table, told } from "./table.js";
import { answerOf } from "./tool-answer.js";

const root = document.getElementById("table");

/** What our tools are called, where the host does not say. */
const PREFIX = "lro_";

let prefix = PREFIX;
let asked;

const host = new Host(parent, hear);
const table = new Table(root, ask);

function hear(method, params) {
  if (method === "ui/notifications/tool-input") asked = params.arguments ?? {};
  else if (method === "ui/notifications/tool-result") void show(params);
  else if (method === "ui/notifications/tool-cancelled") say({ message: "the call was cancelled" });
  else if (method === "ui/notifications/host-context-changed") wear(params);
}

async function ask(tool, given) {
  return answerOf(await host.request("tools/call", { name: prefix + tool, arguments: given }));
}

async function show(result) {
  try {
    await table.goOn(asked ?? {}, answerOf(result));
  } catch (error) {
    say(error);
  }
}

function say(problem) {
  root.replaceChildren(element("div", { class: "alert", role: "alert" }, ...told(problem)));
}

/** Looks as the host does. */
function wear({ theme, styles }) {
  const { style } = document.documentElement;
  if (theme) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") style.setProperty(name, value);
  }
}

/** Tells the host how high the table is, whenever that changes. */
function tellHeight() {
  const observer = new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    host.notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
  });
  observer.observe(document.documentElement);
}

host.begin().then(
  ({ hostContext = {} }) => {
    prefix = hostContext.toolInfo?.tool?.name?.replace(/extract$/, "") ?? PREFIX;
    wear(hostContext);
    tellHeight();
  },
  (error) => say(error),
);
