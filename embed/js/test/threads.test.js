// How many threads there are: those of a process, not those of a server.

import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import { after, mock, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import workers from "node:worker_threads";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

import { shared } from "./shared.js";

const { Worker } = workers;
const running = new Set();
let started = 0;
let atMost = 0;
workers.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    started++;
    running.add(this);
    atMost = Math.max(atMost, running.size);
    this.once("exit", () => running.delete(this));
  }
};
syncBuiltinESMExports();
after(() => {
  workers.Worker = Worker;
  syncBuiltinESMExports();
});

const { Lro } = await import("../src/index.js");
const { offloadLargeResults } = await import("../src/mcp.js");

const ROWS = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` }));

/** What a client of a new server gets, which is closed afterwards as servers without a state are. */
async function asked(options) {
  const server = new McpServer({ name: "rows", version: "1" });
  server.registerTool("rows", {}, () => ({ content: [{ type: "text", text: JSON.stringify(ROWS) }] }));
  await offloadLargeResults(server, options);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(theirs);
  const { content } = await client.callTool({ name: "rows", arguments: {} });
  await client.close();
  await server.close();
  return JSON.parse(content[0].text);
}

/** Waits until all threads have ended, which alone would not keep the process. */
async function ended() {
  const awake = setInterval(() => {}, 1000);
  await Promise.all([...running].map((worker) => new Promise((resolve) => worker.once("exit", resolve))));
  clearInterval(awake);
}

test("servers that are made for each request share threads, which end after the last one", async () => {
  const outputDir = shared.temporary();
  for (let i = 0; i < 12; i++) assert.equal((await asked({ outputDir })).offloaded, true);
  assert.ok(started > 0 && atMost <= 5, `${atMost} threads at once`);
  await ended();
  assert.equal(running.size, 0);
});

test("objects that nobody closes share threads, and closing one leaves the others theirs", async () => {
  const opened = [];
  for (let i = 0; i < 12; i++) opened.push(await Lro.open({ outputDir: shared.temporary() }));
  const [first, second] = opened;
  await first.close();
  assert.equal((await second.offload({ operation: "rows", records: ROWS })).outcome, "offloaded");
  await assert.rejects(first.estimate({ operation: "rows", records: ROWS }), /closed/);
  assert.ok(running.size <= 5, `${running.size} threads`);
  const own = await Lro.open({ outputDir: shared.temporary(), ownThreads: true });
  const shares = running.size;
  await own.close();
  assert.equal(running.size, shares - 1);
  for (const lro of opened) await lro.close();
  assert.equal(running.size, 0);
});

test("what is forgotten without being closed keeps no threads", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const use = async () => {
    const large = await offloadLargeResults({ connect: async () => {} }, { outputDir: shared.temporary() });
    await large.offload({ operation: "rows", records: ROWS });
    const lro = await Lro.open({ outputDir: shared.temporary(), ownThreads: true });
    await lro.offload({ operation: "rows", records: ROWS });
  };
  for (let i = 0; i < 3; i++) await use();
  assert.ok(running.size >= 4, `${running.size} threads`);
  while (running.size > 0) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

test("where the directory cannot be used the server goes on, and says so", { skip: process.platform === "win32" }, async () => {
  const events = [];
  assert.deepEqual(await asked({ outputDir: "/proc/x", onEvent: (event) => events.push(event) }), ROWS);
  assert.deepEqual(events.map(({ name }) => name), ["OffloadingUnavailable"]);
  assert.match(events[0].message, /nothing is offloaded: cannot use `\/proc\/x`/);
  await assert.rejects(asked({ outputDir: shared.temporary(), tresholdTokens: 1 }), { case: "invalid-argument" });

  const log = mock.method(console, "error", () => {});
  for (let i = 0; i < 3; i++) assert.deepEqual(await asked({ outputDir: "/proc/y" }), ROWS);
  assert.deepEqual(log.mock.calls.map(({ arguments: [line] }) => /^lro: nothing is offloaded: .*`\/proc\/y`/.test(line)), [true]);
  log.mock.restore();
});
