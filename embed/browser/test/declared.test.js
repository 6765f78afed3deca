// What the servers say of the table, byte by byte: all of it to clients that show pages, and nothing to others.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

import { LRO, SHOWS_PAGES, folder } from "../chat/chat.js";
import { ISSUES, WITH_RESOURCES } from "../chat/servers.js";

const UI = { resourceUri: "ui://lro/table" };
const NAMED = `"ui":${JSON.stringify(UI)}`;

/** The requests of a client, with ids from 1 on. */
function requests(capabilities) {
  const clientInfo = { name: "chat", version: "1" };
  const initialize = { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities, clientInfo } };
  const read = (uri) => ({ method: "resources/read", params: { uri } });
  const lists = [{ method: "tools/list" }, read(UI.resourceUri), { method: "resources/list" }, { method: "resources/templates/list" }, read("note://first")];
  return [initialize, ...lists].map((request, at) => ({ jsonrpc: "2.0", id: at + 1, ...request }));
}

/** The lines that a command answers these requests with, by their ids. */
async function answers(command, args, capabilities) {
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  server.stdout.on("data", (data) => (text += data));
  const [first, ...others] = requests(capabilities);
  const begun = { jsonrpc: "2.0", method: "notifications/initialized" };
  server.stdin.write(`${JSON.stringify(first)}\n`);
  await once(server.stdout, "data");
  for (const message of [begun, ...others]) server.stdin.write(`${JSON.stringify(message)}\n`);
  while (text.split("\n").length <= others.length + 1) await once(server.stdout, "data");
  server.stdin.end();
  await once(server, "close");
  const lines = text.trim().split("\n");
  return Object.fromEntries(lines.map((line) => [JSON.parse(line).id, line]));
}

test("lro mcp shows the table to whoever can see it, and others get what they got", async (t) => {
  const args = ["mcp", "--output-dir", folder(t)];
  const [plain, shown] = [await answers(LRO, args, {}), await answers(LRO, args, SHOWS_PAGES)];
  assert.equal(plain[1].includes('"capabilities":{"tools":{}}'), true, plain[1]);
  assert.equal(shown[1], plain[1].replace('{"tools":{}}', '{"resources":{},"tools":{}}'));
  assert.equal(plain[2].includes("ui://"), false);
  assert.equal(shown[2].replace(`,${NAMED}`, ""), plain[2]);
  const method_not_found = { code: -32601, message: "resources/read" };
  assert.deepEqual(JSON.parse(plain[3]).error, method_not_found);
  assert.equal(JSON.parse(shown[3]).result.contents[0].uri, UI.resourceUri);
  assert.deepEqual([4, 5].map((id) => [plain[id], shown[id]]).filter(([one, other]) => one !== other), []);
  assert.equal(JSON.parse(shown[6]).error.code, -32002);
});

test("a proxy adds the table to a server, and others get what they got", async (t) => {
  const proxied = (server) => ["proxy", "--output-dir", folder(t), "--", ...server];
  for (const server of [ISSUES, WITH_RESOURCES]) {
    const own = await answers(server[0], server.slice(1), {});
    const [plain, shown] = [await answers(LRO, proxied(server), {}), await answers(LRO, proxied(server), SHOWS_PAGES)];
    for (const id of [1, 3, 4, 5, 6]) assert.equal(plain[id], own[id], "a client that shows no pages");
    assert.equal(plain[2].includes("ui://"), false);
    assert.equal(shown[2].includes(`,${NAMED}`), true);
    assert.equal(shown[2].replace(`,${NAMED}`, ""), plain[2]);
    assert.equal(JSON.parse(shown[3]).result.contents[0].mimeType, "text/html;profile=mcp-app");
    if (server === WITH_RESOURCES) {
      for (const id of [1, 4, 5, 6]) assert.equal(shown[id], own[id], "the server's resources");
    } else {
      assert.deepEqual(JSON.parse(shown[1]).result.capabilities.resources, {});
      assert.deepEqual(JSON.parse(shown[4]).result.resources, []);
      assert.deepEqual(JSON.parse(shown[5]).result.resourceTemplates, []);
      assert.equal(shown[6], own[6]);
    }
  }
});
