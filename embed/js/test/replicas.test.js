// Two processes behind one address, each connection on the next of them: what one has offloaded, the other reads.

import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { freePort, redisServer, started } from "./stores.js";

const REPLICA = fileURLToPath(new URL("../example/replica.js", import.meta.url));

const ERAS = { 2025: "legacy", "2026-07-28": { pin: "2026-07-28" } };

/** Hands each connection to the next server that takes it. */
async function balancer(t, ports) {
  const served = [];
  let turn = 0;
  const sockets = new Set();
  const hand = (client, left) => {
    if (left === 0) return client.destroy();
    const port = ports[turn++ % ports.length];
    const server = connect(port, "127.0.0.1");
    sockets.add(server);
    const refused = () => hand(client, left - 1);
    server.once("error", refused).once("connect", () => {
      server.off("error", refused);
      served.push(port);
      client.pipe(server).pipe(client);
      for (const [one, other] of [[client, server], [server, client]]) {
        one.on("error", () => other.destroy()).on("close", () => other.destroy());
      }
    });
  };
  const front = createServer((client) => {
    sockets.add(client);
    hand(client, ports.length);
  });
  await new Promise((resolve) => front.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    front.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: new URL(`http://127.0.0.1:${front.address().port}/mcp`), served };
}

/** A Redis, two servers and their balancer. */
async function replicas(t) {
  const redis = await redisServer();
  t.after(() => redis.kill());
  const processes = new Map();
  for (let count = 0; count < 2; count += 1) {
    const port = await freePort();
    const process = await started(globalThis.process.execPath, [REPLICA, port, redis.url], port);
    processes.set(port, process);
    t.after(() => process.kill());
  }
  return { redis, processes, ...(await balancer(t, [...processes.keys()])) };
}

/** The answer of one call by a client of its own. */
async function called(url, mode, name, given = {}) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  // A connection that is kept would stay on one replica.
  const fetching = (input, init) => fetch(input, { ...init, headers: withClose(init?.headers) });
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetching }));
  try {
    return await client.callTool({ name, arguments: given });
  } finally {
    await client.close();
  }
}

function withClose(headers) {
  const closing = new Headers(headers);
  closing.set("connection", "close");
  return closing;
}

async function offloaded(url, mode) {
  const { file_path } = JSON.parse((await called(url, mode, "rows")).content[0].text);
  assert.match(file_path, /^lro:\/\/atlatl-rows-/);
  return file_path;
}

for (const [era, mode] of Object.entries(ERAS)) {
  test(`${era}: one offloads, the other extracts`, async (t) => {
    const { url, served, processes } = await replicas(t);
    const file_path = await offloaded(url, mode);
    for (let count = 0; count < 4; count += 1) {
      const found = await called(url, mode, "lro_extract", { file_path, query: "select(.id == 1999) | .title" });
      assert.deepEqual(found.structuredContent.results, ["row 1999"]);
    }
    const described = await called(url, mode, "lro_describe", { file_path });
    assert.equal(described.structuredContent.header.count, 2000);
    const found = await called(url, mode, "lro_search", { file_path, pattern: "row 1999" });
    assert.equal(found.structuredContent.total, 1);
    assert.deepEqual(new Set(served), new Set(processes.keys()));
  });

  test(`${era}: the one that wrote is killed in between`, async (t) => {
    const { url, served, processes } = await replicas(t);
    const file_path = await offloaded(url, mode);
    await processes.get(served.at(-1)).kill();
    const found = await called(url, mode, "lro_extract", { file_path, query: ".id", limit: 2 });
    assert.deepEqual(found.structuredContent.results, [0, 1]);
    assert.notEqual(await offloaded(url, mode), file_path);
  });
}
