// Several reference servers behind one proxy, with the official client of TypeScript.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CreateMessageRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { folder, own, server } from "./peers.mjs";

async function connected(t, flags, capabilities = {}) {
  const [command] = own();
  const client = new Client({ name: "lro-peers", version: "1.0.0" }, { capabilities });
  const transport = new StdioClientTransport({ command, args: ["proxy", ...flags], stderr: "ignore", env: { ...process.env } });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

/** A file as clients have it. */
function file(t, servers) {
  const path = join(folder(t), "mcp.json");
  const entry = ([command, ...args], more) => ({ command, args, ...more });
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, [words, more]]) => [name, entry(words, more)]));
  writeFileSync(path, JSON.stringify({ mcpServers }));
  return path;
}

test("three servers are one, with one list of our tools and one folder", async (t) => {
  const [data, results] = [folder(t), folder(t)];
  const issues = Array.from({ length: 5000 }, (_, id) => ({ id, body: "x".repeat(200) }));
  writeFileSync(join(data, "issues.json"), JSON.stringify(issues));
  const servers = file(t, {
    files: [server("filesystem", data)], "ever y": [server("everything")],
    memory: [server("memory"), { env: { MEMORY_FILE_PATH: join(folder(t), "memory.jsonl") } }],
    gone: [["/no/such/command"]],
  });
  const client = await connected(t, ["--servers", servers, "--output-dir", results, "--resolve-arguments"], { sampling: {} });
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => ({
    model: "test", role: "assistant", content: { type: "text", text: `heard ${params.messages.length}` },
  }));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.startsWith("lro_")), ["lro_describe", "lro_extract", "lro_read", "lro_search"]);
  for (const name of ["files__read_text_file", "ever_y__echo", "memory__read_graph"]) assert.ok(names.includes(name), name);
  assert.equal(new Set(names).size, names.length);
  const read = await client.callTool({ name: "files__read_text_file", arguments: { path: join(data, "issues.json") } });
  const { file_path } = read.structuredContent;
  const extracted = await client.callTool({ name: "lro_extract", arguments: { file_path, query: "length", slurp: true } });
  assert.deepEqual(extracted.structuredContent.results, [issues.length]);
  const copy = join(data, "copy.json");
  await client.callTool({ name: "files__write_file", arguments: { path: copy, content: `lro://${file_path}` } });
  const created = await client.callTool({
    name: "memory__create_entities", arguments: { entities: [{ name: "a", entityType: "b", observations: ["c"] }] },
  });
  assert.notEqual(created.isError, true);
  const sampled = await client.callTool({ name: "ever_y__trigger-sampling-request", arguments: { prompt: "p", maxTokens: 10 } });
  assert.match(JSON.stringify(sampled.content), /heard 1/);
  const seen = [];
  await client.callTool(
    { name: "ever_y__trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } }, undefined,
    { onprogress: ({ progress }) => seen.push(progress) },
  );
  // The client forgets progress that comes in one piece with the answer, also in a direct conversation.
  assert.deepEqual(seen.slice(0, 2), [1, 2]);
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.every(({ name }) => name.startsWith("ever_y__")) && prompts.length > 0);
  const prompt = await client.getPrompt({ name: "ever_y__simple-prompt" });
  assert.ok(prompt.messages.length > 0);
  const { resources } = await client.listResources();
  assert.ok(resources.length > 0);
  assert.ok((await client.readResource({ uri: resources[0].uri })).contents.length > 0);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.length > 0);
  const completed = await client.complete({
    ref: { type: "ref/prompt", name: "ever_y__completable-prompt" }, argument: { name: "department", value: "E" },
  });
  assert.ok(completed.completion.values.length > 0);
  await client.setLoggingLevel("debug");
  await assert.rejects(client.callTool({ name: "gone__x", arguments: {} }), /`gone` does not run/);
  await assert.rejects(client.callTool({ name: "nobody", arguments: {} }), /no server has/);
  assert.equal(readdirSync(results).length, 1);
});

test("a server that dies leaves the others working", async (t) => {
  const dies = `const rl = require("readline").createInterface({ input: process.stdin });
    const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    rl.on("line", (line) => { const { id, method, params } = JSON.parse(line);
      if (method === "initialize") say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "d", version: "1" } });
      if (method === "tools/list") say(id, { tools: [{ name: "die", inputSchema: { type: "object" } }] });
      if (method === "tools/call") process.exit(3); });`;
  const servers = file(t, { dies: [[process.execPath, "-e", dies]], everything: [server("everything")] });
  const client = await connected(t, ["--servers", servers, "--output-dir", folder(t)]);
  const changed = new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve));
  assert.ok((await client.listTools()).tools.some(({ name }) => name === "dies__die"));
  await assert.rejects(client.callTool({ name: "dies__die", arguments: {} }), /`dies` has ended before it answered: it ended with status 3/);
  await changed;
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.ok(!names.includes("dies__die") && names.includes("everything__echo"));
  const echo = await client.callTool({ name: "everything__echo", arguments: { message: "é" } });
  assert.match(echo.content[0].text, /é/);
});
