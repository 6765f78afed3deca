// The table behind every form of the proxy: several servers, a remote server, and clients over HTTP. The client is the official
// SDK's, and so is the remote server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler } from "@modelcontextprotocol/server";

import { LRO, SHOWS_PAGES, connected, folder } from "../chat/chat.js";
import { issueServer } from "../chat/issue-tools.js";
import { ISSUES, WITH_RESOURCES } from "../chat/servers.js";

const quoted = (command) => command.map((word) => `'${word}'`).join(" ");

/** A remote server on a loopback address: what node gets goes to the SDK's handler as the web's requests, and back. */
async function remote(t) {
  const handler = createMcpHandler(() => issueServer());
  const server = createServer(async (request, response) => {
    const body = [];
    for await (const chunk of request) body.push(chunk);
    const { method, headers, url } = request;
    const init = { method, headers, body: body.length > 0 ? Buffer.concat(body) : undefined };
    const answer = await handler.fetch(new Request(new URL(url, "http://127.0.0.1"), init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

/** A client over HTTP of a proxy that listens. */
async function overHttp(t, capabilities) {
  const args = ["proxy", "--output-dir", folder(t), "--listen", "127.0.0.1:0", "--", ...ISSUES];
  const proxy = spawn(LRO, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => proxy.kill());
  // Its address is all that it prints.
  const [url] = await once(createInterface(proxy.stdout), "line");
  const client = new Client({ name: "chat", version: "1" }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  t.after(() => client.close());
  return client;
}

const FORMS = {
  "several servers": (t, capabilities) =>
    connected(t, ["proxy", "--output-dir", folder(t), `--server=a=${quoted(ISSUES)}`, `--server=b=${quoted(WITH_RESOURCES)}`], capabilities),
  "a remote server": async (t, capabilities) => connected(t, ["proxy", "--output-dir", folder(t), "--url", await remote(t)], capabilities),
  "clients over HTTP": overHttp,
};

for (const [form, open] of Object.entries(FORMS)) {
  test(`the table with ${form}`, async (t) => {
    const client = await open(t, SHOWS_PAGES);
    const { tools } = await client.listTools();
    const [ours, theirs] = [tools.find(({ name }) => name.endsWith("extract")), tools.find(({ name }) => name.endsWith("list_issues"))];
    assert.equal(ours._meta.ui.resourceUri, "ui://lro/table");
    const { contents } = await client.readResource({ uri: "ui://lro/table" });
    assert.equal(contents[0].mimeType, "text/html;profile=mcp-app");
    // What the table does: it asks for a page of what was offloaded.
    const { content } = await client.callTool({ name: theirs.name, arguments: {} });
    const [file_path] = /\/\S+?\.jsonl/.exec(content[0].text);
    const page = await client.callTool({ name: ours.name, arguments: { file_path, sort_by: "-id", limit: 1 } });
    assert.match(page.content[0].text, /"id":300\b/);
  });

  test(`no table with ${form} for a client that shows none`, async (t) => {
    const client = await open(t, {});
    const { tools } = await client.listTools();
    assert.equal(JSON.stringify(tools).includes("ui://"), false);
    await assert.rejects(client.readResource({ uri: "ui://lro/table" }));
  });
}
