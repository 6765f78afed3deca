// What the tests share: where the command and the servers are, and a client that speaks bytes.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const lro = process.env.LRO ?? (() => { throw new Error("LRO must be the path of the command lro"); })();

/** The command line of a reference server. */
export function server(name, ...args) {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return [process.execPath, join(dirname(manifest), "dist", "index.js"), ...args];
}

/** The same behind the proxy. */
export function proxied(flags, command) {
  return [lro, "proxy", ...flags, "--", ...command];
}

/** The tools of the command itself. */
export function own(...flags) {
  return [lro, "mcp", ...flags];
}

/** A folder that is gone after the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "lro-peers-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

/** Sends each request when the one before it has been answered, and gives all bytes that came back. */
export async function conversation([program, ...args], messages, env = {}) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], env: { ...process.env, ...env } });
  const chunks = [];
  let seen = "";
  let wake = () => {};
  child.stdout.on("data", (chunk) => {
    chunks.push(chunk);
    seen += chunk;
    wake();
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for (const message of messages) {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    while (message.id !== undefined && !answered(seen, message.id)) {
      await new Promise((resolve) => { wake = resolve; });
    }
  }
  child.stdin.end();
  const status = await ended;
  return { bytes: Buffer.concat(chunks), status };
}

function answered(text, id) {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter(Boolean);
  return lines.some((line) => {
    const message = JSON.parse(line);
    return message.id === id && message.method === undefined;
  });
}

/** Starts the proxy over HTTP before a server; gives its URL, its process and its end. */
export async function listening(t, flags, command, env = {}) {
  const [program, ...args] = proxied(["--listen", "127.0.0.1:0", ...flags], command);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
  const ended = new Promise((resolve) => child.on("close", resolve));
  t.after(async () => { child.kill(); await ended; });
  const [url] = await new Promise((resolve) => createInterface(child.stdout).once("line", (line) => resolve([line])));
  return { url: new URL(url), child, ended };
}
