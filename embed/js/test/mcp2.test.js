// The SDK's second version, in both eras: sessions (2025) and none (2026-07-28). Servers are made for each request.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { mock, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";

import { Lro } from "../src/index.js";
import { largeResults, offloadLargeResults } from "../src/mcp.js";
import { build } from "./server2.js";
import { shared } from "./shared.js";

const SERVER = fileURLToPath(new URL("server2.js", import.meta.url));

const ERAS = { 2025: "legacy", "2026-07-28": { pin: "2026-07-28" } };

/** A client of an era, connected to a transport. */
async function connected(t, transport, mode) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

/** Serves requests of node, and returns where. */
async function served(t, listener) {
  const http = createServer(listener);
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return new URL(`http://127.0.0.1:${http.address().port}/mcp`);
}

/** A server for each request, all with one offloading. */
async function handler(t, options = {}) {
  const outputDir = shared.temporary();
  const large = await largeResults({ outputDir, ...options });
  t.after(() => large.close());
  const url = await served(t, toNodeHandler(createMcpHandler(() => large.attach(build(() => large)))));
  return { url, outputDir, large };
}

/** What every server has to do, whatever its transport is. */
async function works(client, outputDir) {
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(names, ["rows", "small", "fails", "asks", "lro_describe", "lro_extract", "lro_read", "lro_search"]);
  const call = (name, given = {}) => client.callTool({ name, arguments: given });
  for (const tool of ["rows", "asks"]) {
    const response = JSON.parse((await call(tool)).content[0].text);
    assert.equal(response.offloaded, true);
    assert.ok(response.file_path.startsWith(outputDir));
    const query = 'select(.state == "closed") | .id';
    const { structuredContent } = await call("lro_extract", { file_path: response.file_path, query, limit: 3 });
    assert.deepEqual(structuredContent.results, [0, 3, 6]);
  }
  assert.deepEqual((await call("small")).content, [{ type: "text", text: "three" }]);
  assert.equal((await call("fails")).isError, true);
}

for (const [era, mode] of Object.entries(ERAS)) {
  for (const how of ["alone", "shared"]) {
    test(`stdio, ${era}, ${how}`, async (t) => {
      const outputDir = shared.temporary();
      const transport = new StdioClientTransport({ command: process.execPath, args: [SERVER, outputDir, how], stderr: "inherit" });
      await works(await connected(t, transport, mode), outputDir);
    });
  }

  test(`HTTP, ${era}, a server for each request`, async (t) => {
    const { url, outputDir } = await handler(t);
    const client = await connected(t, new StreamableHTTPClientTransport(url), mode);
    await works(client, outputDir);
    // Nothing tells which requests belong together: their files expire.
    assert.equal(readdirSync(outputDir, { recursive: true }).filter((name) => name.endsWith(".jsonl")).length, 2);
  });

  test(`HTTP, ${era}: clients on other machines get full results without our tools`, async (t) => {
    const { url, outputDir } = await handler(t, { offerTools: false });
    const client = await connected(t, new StreamableHTTPClientTransport(url), mode);
    const { content } = await client.callTool({ name: "rows", arguments: {} });
    assert.equal(JSON.parse(content[0].text).length, 500);
    assert.deepEqual(readdirSync(outputDir), []);
  });
}

test("HTTP with sessions, as the first version has them", async (t) => {
  const outputDir = shared.temporary();
  let large;
  const server = build(() => large);
  large = await offloadLargeResults(server, { outputDir });
  t.after(() => large.close());
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  const url = await served(t, (request, response) => transport.handleRequest(request, response));
  await works(await connected(t, new StreamableHTTPClientTransport(url), "legacy"), outputDir);
  assert.equal(readdirSync(outputDir).length, 1, "the folder of the session");
  await server.close();
  await large.close();
  assert.deepEqual(readdirSync(outputDir), []);
});

for (const [name, opened] of Object.entries({
  "one offloading": async (outputDir) => {
    const large = await largeResults({ outputDir });
    return { make: () => large.attach(build(() => large)), close: () => large.close() };
  },
  "one Lro, an offloading for each": async (outputDir) => {
    const lro = await Lro.open({ outputDir });
    const make = async () => {
      const server = build(() => large);
      const large = await offloadLargeResults(server, { lro });
      return server;
    };
    return { make, close: () => lro.close() };
  },
})) {
  test(`100 requests, a server for each, ${name}: the directory is swept once`, async (t) => {
    const sweeps = mock.method(Lro.prototype, "cleanup");
    t.after(() => sweeps.mock.restore());
    const { make, close } = await opened(shared.temporary());
    t.after(close);
    let made = 0;
    const url = await served(t, toNodeHandler(createMcpHandler(() => ((made += 1), make()))));
    const client = await connected(t, new StreamableHTTPClientTransport(url), ERAS["2026-07-28"]);
    for (let i = 0; i < 99; i += 1) await client.callTool({ name: "small", arguments: {} });
    assert.ok(made >= 100, `${made} servers`);
    assert.equal(sweeps.mock.callCount(), 1);
    // A write sweeps too, in a short way, once in five minutes.
    await Promise.all(Array.from({ length: 8 }, () => client.callTool({ name: "rows", arguments: {} })));
    assert.equal(sweeps.mock.callCount(), 2);
  });
}

test("a tool that asks belongs to its own request, where ids of requests are the same", async (t) => {
  const session = ({ request }) => request?.headers.get("x-tenant") ?? undefined;
  const { url, outputDir } = await handler(t, { session });
  const client = (tenant) =>
    connected(t, new StreamableHTTPClientTransport(url, { requestInit: { headers: { "x-tenant": tenant } } }), ERAS["2026-07-28"]);
  const clients = await Promise.all(["one", "two", "three"].map(client));
  const answers = await Promise.all(clients.map((each) => each.callTool({ name: "asks", arguments: {} })));
  const paths = answers.map(({ content }) => JSON.parse(content[0].text).file_path);
  const folders = paths.map((path) => path.slice(outputDir.length + 1).split("/")[0]);
  assert.deepEqual(folders, ["one", "two", "three"]);
  const other = await clients[0].callTool({ name: "lro_extract", arguments: { file_path: paths[1], query: "." } });
  assert.equal(other.isError, true);
});
