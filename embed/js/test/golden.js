// Golden cases of the native command (`cli/tests/golden`), which the command in JavaScript answers in the same words.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { shared } from "./shared.js";

export const MAIN = fileURLToPath(new URL("../src/command/main.js", import.meta.url));

const GOLDEN = shared("../cli/tests/golden");

/** What differs from run to run. */
const OF_NOW = [
  [/\bTMP\/lro-\d+\b/g, "TMP/lro-UID"],
  [/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, "ULID"],
  [/_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, "_ULID"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME"],
  [/\\"expires_at\\":\\"[^\\]+/g, '\\"expires_at\\":\\"TIME'],
  [/"expires_at":"[^"]+"\},"_meta"/g, '"expires_at":"TIME"},"_meta"'],
];

/** The cases in a folder, by their names. */
export function casesOf(folder) {
  const names = readdirSync(join(GOLDEN, folder)).filter((name) => name.endsWith(".test"));
  return names.map((name) => ({ name: `${folder}/${name.slice(0, -5)}`, ...parsed(readFileSync(join(GOLDEN, folder, name), "utf8")) }));
}

/** Files, and steps with what is expected. */
function parsed(text) {
  const found = { files: [], steps: [] };
  for (const [, head, rest] of text.matchAll(/^=== (.*)\n((?:(?!=== ).*(?:\n|$))*)/gm)) {
    const title = head.replace(/, no newline at the end$/, "");
    const body = title === head ? rest : rest.slice(0, -1);
    const step = found.steps.at(-1);
    if (title.startsWith("file ")) found.files.push([title.slice(5), body]);
    else if (title.startsWith("$ ")) found.steps.push({ command: title.slice(2), status: 0, stdout: "", stderr: "" });
    else if (title.startsWith("status ")) step.status = Number(title.slice(7));
    else if (title === "stdout as JSON") step.json = body;
    else step[title] = body;
  }
  return found;
}

/** Runs the steps of a case in a folder of its own, and returns what each printed beside what was expected. */
export function played({ files, steps }) {
  const root = realpathSync(mkdtempSync("/tmp/lro-golden-"));
  try {
    const [folder, temporary] = [join(root, "case"), join(root, "tmp")];
    mkdirSync(temporary);
    cpSync(join(GOLDEN, "given"), folder, { recursive: true });
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const given = textsBelow(folder) + files.map(([name, text]) => `${name}\n${text}\n`).join("") + steps.map(({ command }) => command).join("\n");
    return steps.map((expected) => ({ expected, found: run(expected.command, { folder, temporary, given }) }));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Names and texts of what is given to every case. */
function textsBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8")}\n`).join("");
}

/** What was printed, laid out as the case has it. */
export function laidOut(line) {
  const text = (value) => {
    const isOfObjects = Array.isArray(value) && value.some((element) => typeof element === "object" && element !== null && !Array.isArray(element));
    return isOfObjects ? `[\n${value.map((element) => `    ${JSON.stringify(element)}`).join(",\n")}\n  ]` : JSON.stringify(value);
  };
  const members = Object.entries(JSON.parse(line)).map(([key, value]) => `  ${JSON.stringify(key)}: ${text(value)}`);
  return `{\n${members.join(",\n")}\n}\n`;
}

/** True for a step that printed what is expected, on both streams, and ended as it should. */
export function isAsExpected({ expected, found }) {
  const stdout = expected.json === undefined ? found.stdout : laidOut(found.stdout);
  return found.status === expected.status && fits(expected.json ?? expected.stdout, stdout) && fits(expected.stderr, found.stderr);
}

function run(line, { folder, temporary, given }) {
  const env = { PATH: process.env.PATH, TMPDIR: temporary, LRO_JS: "1" };
  const lro = `lro() { "${process.execPath}" "${MAIN}" "$@"; }`;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", `${lro}\n${line}`], { cwd: folder, env, encoding: "utf8", input: "" });
  const named = (text) => {
    const placed = text.replaceAll(folder, "DIR").replaceAll(temporary, "TMP");
    const keepGiven = (name) => (found) => (given.includes(found) ? found : name);
    return OF_NOW.reduce((changed, [pattern, name]) => changed.replace(pattern, keepGiven(name)), placed);
  };
  return { status, stdout: named(stdout), stderr: named(stderr) };
}

/** True when a text is what is expected, a line `...` standing for any lines. */
export function fits(expected, found) {
  const [lines, seen] = [expected, found].map((text) => text.split(/(?<=\n)/));
  const fit = (i, j) => {
    if (i === lines.length) return j === seen.length;
    if (lines[i] === "...\n") return seen.slice(j).some((_, skip) => fit(i + 1, j + skip)) || fit(i + 1, seen.length);
    return lines[i] === seen[j] && fit(i + 1, j + 1);
  };
  return fit(0, 0);
}
