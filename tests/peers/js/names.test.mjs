// A reference server behind the proxy, with the official client, by each family of names: the lock file of these very
// tests goes into a file, and comes back by reading, searching and querying.

import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { folder, proxied, server } from "./peers.mjs";

const LOCK = new URL("./package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(LOCK));
const QUERY = ".packages | to_entries | map(select(.value.license == \"ISC\")) | length";
const PATTERN = "\"license\": *\"ISC\"";
const licensed = Object.values(lock.packages).filter((entry) => entry.license === "ISC").length;

/** The argument for the file, where the response has it, and calls that query, read and search. */
const FAMILIES = {
  lro: {
    key: "file_path", known: "file_path",
    query: ["lro_extract", { query: QUERY, on: "document" }],
    read: ["lro_read", { lines: "1-1" }],
    search: ["lro_search", { pattern: PATTERN, limit: 50 }],
  },
  artifact: {
    key: "artifact_id", known: "artifact_id",
    query: ["artifact_jq", { query: QUERY }],
    read: ["artifact_read", { start_line: 1, end_line: 1 }],
    search: ["artifact_grep", { pattern: PATTERN.toUpperCase(), case_sensitive: false, max_results: 50 }],
  },
  large_output: {
    key: "filename", known: "file_path",
    query: ["query_large_output", { query: QUERY, compact: true }],
    read: ["read_large_output", { start: 0, end: 500 }],
    search: ["search_large_output", { pattern: PATTERN, case_sensitive: false, max_results: 50 }],
  },
  unified: {
    key: "filename", known: "file_path",
    query: ["large_output", { operation: "query", query: QUERY }],
    read: ["large_output", { operation: "read", start: 1, end: 500 }],
    search: ["large_output", { operation: "search", pattern: PATTERN }],
  },
};

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`${name}: a file that a server has read is read, searched and queried`, async (t) => {
    const [data, results] = [folder(t), folder(t)];
    copyFileSync(LOCK, join(data, "package-lock.json"));
    const [command, ...args] = proxied(["--output-dir", results, "--tool-names", name], server("filesystem", data));
    const client = new Client({ name: "lro-peers", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command, args, stderr: "ignore", env: process.env }));
    t.after(() => client.close());
    const { tools } = await client.listTools();
    const called = [family.query, family.read, family.search].map(([tool]) => tool);
    assert.ok(called.every((tool) => tools.some((listed) => listed.name === tool)), `${called} in the list`);
    const response = await client.callTool({ name: "read_text_file", arguments: { path: join(data, "package-lock.json") } });
    const file = { [family.key]: response.structuredContent[family.known] };
    const ask = async ([tool, rest]) => {
      const answer = await client.callTool({ name: tool, arguments: { ...file, ...rest } });
      assert.ok(!answer.isError, `${tool}: ${answer.content[0].text}`);
      return answer.structuredContent;
    };
    assert.deepEqual((await ask(family.query)).results, [licensed]);
    assert.ok((await ask(family.read)).text.startsWith("{"));
    const found = await ask(family.search);
    assert.ok(found.count > 0 && found.results.some((line) => line.includes("\"ISC\"")), JSON.stringify(found));
  });
}
