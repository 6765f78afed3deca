// The official client of TypeScript over streamable HTTP, in front of reference servers that speak over pipes.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { folder, listening, server } from "./peers.mjs";

const ISSUES = Array.from({ length: 11_000 }, (_, id) => ({ id, state: id % 3 ? "open" : "closed", body: "x".repeat(400) }));

async function connected(t, url, options = {}, capabilities = {}) {
  const client = new Client({ name: "lro-peers", version: "1.0.0" }, { capabilities });
  const transport = new StreamableHTTPClientTransport(url, options);
  await client.connect(transport);
  t.after(() => client.close());
  return { client, transport };
}

test("a file of 5 MB is offloaded and read to the last page, in sessions that do not see each other's files", async (t) => {
  const [data, results] = [folder(t), folder(t)];
  writeFileSync(join(data, "issues.json"), JSON.stringify(ISSUES));
  const { url } = await listening(t, ["--output-dir", results], server("filesystem", data));
  const [{ client, transport }, other] = await Promise.all([connected(t, url), connected(t, url)]);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.slice(-4).map((tool) => tool.name), ["lro_describe", "lro_extract", "lro_read", "lro_search"]);
  const read = await client.callTool({ name: "read_text_file", arguments: { path: join(data, "issues.json") } });
  const { file_path, summary } = read.structuredContent;
  assert.equal(summary.count, ISSUES.length);
  const ask = (arguments_) => client.callTool({ name: "lro_extract", arguments: { file_path, ...arguments_ } });
  let [ids, page] = [[], await ask({ query: ".id", limit: 1000 })];
  for (;;) {
    ids.push(...page.structuredContent.results);
    if (!page.structuredContent.next) break;
    page = await ask({ query: ".id", limit: 1000, next: page.structuredContent.next });
  }
  assert.deepEqual(ids, ISSUES.map(({ id }) => id));
  const stranger = await other.client.callTool({ name: "lro_extract", arguments: { file_path, query: "." } });
  assert.equal(stranger.isError, true);
  assert.equal(readdirSync(results).length, 1);
  await transport.terminateSession();
  await assert.rejects(fetch(url, { headers: { "Mcp-Session-Id": transport.sessionId ?? "none" } }).then((reply) => {
    if (!reply.ok) throw new Error(`${reply.status}`);
  }));
  for (let waited = 0; readdirSync(results).length > 0; waited += 50) {
    assert.ok(waited < 5000, "the files of a session go with it");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal((await other.client.listTools()).tools.length, tools.length);
});

test("progress, sampling and notifications arrive", async (t) => {
  const { url } = await listening(t, ["--output-dir", folder(t)], server("everything"));
  const { client } = await connected(t, url, {}, { sampling: {} });
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => ({
    model: "test", role: "assistant", content: { type: "text", text: `heard ${params.messages.length}` },
  }));
  const seen = [];
  await client.callTool(
    { name: "trigger-long-running-operation", arguments: { duration: 0.6, steps: 3 } }, undefined,
    { onprogress: ({ progress }) => seen.push(progress) },
  );
  assert.deepEqual(seen, [1, 2, 3]);
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === "trigger-sampling-request"));
  const sampled = await client.callTool({ name: "trigger-sampling-request", arguments: { prompt: "p", maxTokens: 10 } });
  assert.match(JSON.stringify(sampled.content), /heard 1/);
});

/** Passes connections on, and can break all of them. */
async function breakable(t, target) {
  const { createServer } = await import("node:net");
  const open = new Set();
  const listener = createServer((near) => {
    const far = connect(target.port, target.hostname);
    for (const [a, b] of [[near, far], [far, near]]) {
      open.add(a);
      a.on("error", () => {}).on("close", () => { open.delete(a); b.destroy(); });
      a.pipe(b);
    }
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => { open.forEach((socket) => socket.destroy()); listener.close(); });
  const url = new URL(target);
  url.port = listener.address().port;
  return { url, cut: () => open.forEach((socket) => socket.destroy()) };
}

test("a stream that breaks in the middle of a call is resumed, and nothing is lost", async (t) => {
  const { url } = await listening(t, ["--output-dir", folder(t)], server("everything"));
  const way = await breakable(t, url);
  const { client } = await connected(t, way.url);
  const seen = [];
  const result = await client.callTool(
    { name: "trigger-long-running-operation", arguments: { duration: 3, steps: 6 } }, undefined,
    { onprogress: ({ progress }) => { seen.push(progress); if (progress === 2) way.cut(); } },
  );
  assert.match(result.content[0].text, /completed/);
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
});

/** A POST with headers as they are given. */
function post(url, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: { "content-type": "application/json", ...headers } }, (reply) => {
      let text = "";
      reply.on("data", (chunk) => { text += chunk; }).on("end", () => resolve({ status: reply.statusCode, headers: reply.headers, text }));
    });
    sent.on("error", reject).end(body);
  });
}

test("pages of others, other hosts and strangers without the token are refused; clients with it are served", async (t) => {
  const flags = ["--output-dir", folder(t), "--listen-bearer-env", "LISTEN_TOKEN"];
  const { url } = await listening(t, flags, server("memory"), { LISTEN_TOKEN: "s3cret" });
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const authorization = "Bearer s3cret";
  assert.equal((await post(url, { authorization, origin: "https://evil.example" }, ping)).status, 403);
  assert.equal((await post(url, { authorization, host: "evil.example" }, ping)).status, 403);
  const stranger = await post(url, {}, ping);
  assert.equal(stranger.status, 401);
  assert.match(stranger.headers["www-authenticate"], /^Bearer/);
  const { client } = await connected(t, url, { requestInit: { headers: { Authorization: authorization } } });
  assert.ok((await client.listTools()).tools.length > 4);
});

test("a signal ends the proxy with all its sessions", async (t) => {
  const { url, child, ended } = await listening(t, ["--output-dir", folder(t)], server("everything"));
  await Promise.all([connected(t, url), connected(t, url)]);
  const start = Date.now();
  child.kill("SIGTERM");
  assert.equal(await ended, 143);
  assert.ok(Date.now() - start < 8000);
});
