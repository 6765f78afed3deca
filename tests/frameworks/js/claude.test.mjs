// The Claude Agent SDK: its real program against a scripted API on loopback, with a real MCP server and real commands.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { offloadLargeResults } from "lro-component/claude";

import { FILTER, FOUND, closing, filesOf, filesystem, folder, functions, pathIn, places, resultsIn } from "./frameworks.mjs";
import { messagesApi } from "./messages-api.mjs";

/** A query runs to its end with a home of its own; returns what the model was given last. */
async function asked(t, place, options, ...steps) {
  const api = await messagesApi(t, ...steps);
  const home = folder(t);
  const { PATH } = process.env;
  const env = {
    PATH, HOME: home, CLAUDE_CONFIG_DIR: home, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-ant-scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1",
  };
  const given = { cwd: place.data, env, settingSources: [], allowedTools: ["Bash", "mcp__files", "mcp__own"], ...options };
  const made = closing(t, await offloadLargeResults(given, place.options));
  const stderr = [];
  const deadline = AbortSignal.timeout(90_000);
  const abortController = new AbortController();
  deadline.addEventListener("abort", () => abortController.abort());
  for await (const message of query({ prompt: "Which are closed?", options: Object.assign(made, { abortController, stderr: (text) => stderr.push(text) }) })) {
    if (message.type === "result") assert.equal(message.subtype, "success", stderr.join(""));
  }
  for (const { error } of api.turns) if (error) throw error;
  return { tools: api.turns[0].tools, results: api.turns.at(-1).results };
}

const extraction = (results) => [["mcp__lro__lro_extract", { file_path: pathIn(results[0].text), ...FILTER }]];

test("an MCP server: large results are replaced, also in parallel, and the model's second call is answered", async (t) => {
  const place = places(t);
  const read = ["mcp__files__read_text_file", { path: place.file }];
  const files = { type: "stdio", alwaysLoad: true, ...filesystem(place.data) };
  const { tools, results } = await asked(
    t, place, { mcpServers: { files } },
    [read, read, ["mcp__files__list_directory", { path: place.data }], ["mcp__files__read_text_file", { path: join(place.data, "none") }]],
    extraction,
  );
  assert.ok(tools.includes("mcp__lro__lro_extract"), String(tools));
  assert.notEqual(pathIn(results[0].text), pathIn(results[1].text));
  assert.ok(results[0].text.length < 3000, results[0].text.slice(0, 300));
  assert.match(results[2].text, /issues\.json/);
  assert.match(results[3].text, /ENOENT/);
  assert.deepEqual(resultsIn(results[4].text), FOUND);
});

test("a server in this process, structured results, images, and the output of commands", async (t) => {
  const place = places(t);
  const { text, issues } = functions(place);
  const image = { type: "image", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", mimeType: "image/png" };
  const own = createSdkMcpServer({
    name: "own",
    alwaysLoad: true,
    tools: [
      tool("text", "Issues", {}, async () => ({ content: [{ type: "text", text: text() }] })),
      tool("structured", "Issues", {}, async () => ({ content: [{ type: "text", text: text() }], structuredContent: { issues: issues() } })),
      tool("image", "An image", {}, async () => ({ content: [image] })),
      tool("fails", "Fails", {}, async () => ({ content: [{ type: "text", text: "the tracker is down" }], isError: true })),
    ],
  });
  const { results } = await asked(
    t, place, { mcpServers: { own } },
    [["mcp__own__text"], ["mcp__own__structured"], ["mcp__own__image"], ["mcp__own__fails"], ["Bash", { command: `cat ${place.file}`, description: "prints" }], ["Bash", { command: "echo small", description: "prints" }]],
    extraction,
  );
  const [plain, structured, picture, fails, large, small, extracted] = results;
  for (const { text: seen } of [plain, structured, large]) {
    assert.ok(pathIn(seen).startsWith(place.outputDir) && seen.length < 4000, seen.slice(0, 300));
  }
  assert.ok(JSON.stringify(picture.content).includes("image"), JSON.stringify(picture.content).slice(0, 200));
  assert.match(fails.text, /the tracker is down/);
  assert.match(large.text, /"count":\s*5000/, "the file that the program saved is read");
  assert.equal(small.text.trim(), "small");
  assert.deepEqual(resultsIn(extracted.text), FOUND);
  assert.equal(filesOf(place.outputDir).length, 3);
});

test("agents have a session each, and what a user has said of hooks and servers stays", async (t) => {
  const place = places(t);
  const seen = [];
  const look = async (event) => (seen.push(event.tool_name), {});
  const own = () => createSdkMcpServer({ name: "own", alwaysLoad: true, tools: [tool("text", "Issues", {}, async () => ({ content: [{ type: "text", text: functions(place).text() }] }))] });
  const options = () => ({ mcpServers: { own: own() }, hooks: { PostToolUse: [{ hooks: [look] }] } });
  const one = await asked(t, place, options(), [["mcp__own__text"]], extraction);
  const foreign = () => [["mcp__lro__lro_extract", { file_path: pathIn(one.results[0].text), query: "." }]];
  const two = await asked(t, place, options(), [["mcp__own__text"]], foreign);
  assert.doesNotMatch(two.results[1].text, /Issue 1/);
  assert.equal(new Set(filesOf(place.outputDir).map((name) => name.split("/")[0])).size, 2);
  assert.ok(seen.includes("mcp__own__text"));
});
