// Offloading for the Claude Agent SDK: a hook that replaces results, and an MCP server in this process with our tools.

import { readFile } from "node:fs/promises";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { closedBy } from "./copies.js";
import { checkOptions, invalid } from "./given.js";
import { ToolResults } from "./tool-results.js";

/** Our tools are `mcp__lro__lro_extract` and so on. */
const SERVER = "lro";

/** Seconds: an offload of a very large result takes some. */
const TIMEOUT_SECONDS = 60;

// A result above this many tokens does not reach a hook, only the name of a file that it went to.
const WHOLE_RESULTS = { MAX_MCP_OUTPUT_TOKENS: "100000000" };

/** The options of a query with offloading: `query({ prompt, options: await offloadLargeResults({ mcpServers }) })`. */
export async function offloadLargeResults(options = {}, settings = {}) {
  checkOptions(options, "the options of a query");
  checkOptions(settings, "the settings of offloading");
  if (typeof settings.session === "function") throw invalid("a query has one session: pass its name, and call this for each query");
  const results = settings instanceof ToolResults ? settings : await ToolResults.open(settings);
  const close = () => results.close();
  if (!results.lro) return closedBy({ ...options }, close);
  const { hooks = {}, mcpServers = {}, allowedTools = [], env = process.env } = options;
  const hook = { hooks: [(event) => answered(results, event)], timeout: TIMEOUT_SECONDS };
  const changed = {
    ...options,
    env: { ...WHOLE_RESULTS, ...env },
    hooks: { ...hooks, PostToolUse: [...(hooks.PostToolUse ?? []), hook] },
    mcpServers: { ...mcpServers, [SERVER]: { type: "sdk", name: SERVER, instance: serverOf(results) } },
    // They only read what the model has been told of.
    allowedTools: [...allowedTools, ...results.tools.map(({ name }) => `mcp__${SERVER}__${name}`)],
  };
  return closedBy(changed, close);
}

function serverOf(results) {
  const instance = new McpServer({ name: SERVER, version: "1" }, { capabilities: { tools: {} } });
  instance.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: results.tools }));
  instance.server.setRequestHandler(CallToolRequestSchema, ({ params }) => results.call(params.name, params.arguments));
  return instance;
}

async function answered(results, { tool_name: tool, tool_input: input, tool_response: response }) {
  const replaced = tool.startsWith("mcp__") ? await results.offloadResult(tool, input, response) : await command(results, tool, input, response);
  if (replaced === response) return {};
  return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: replaced } };
}

/** The output of a command, which is in a file where it is long. Other tools of the program keep their results. */
async function command(results, tool, input, response) {
  if (tool !== "Bash" || typeof response?.stdout !== "string") return response;
  const { persistedOutputPath, persistedOutputSize, ...shown } = response;
  const stdout = persistedOutputPath ? await readFile(persistedOutputPath, "utf8").catch(() => response.stdout) : response.stdout;
  const replaced = await results.offloadResult(tool, input, stdout);
  return replaced === stdout ? response : { ...shown, stdout: replaced };
}
