// A memory server over standard input and output, with offloading: `npm start`, or
//
//   node example/server.js [FILE] [OUTPUT_DIR]
//
// FILE holds a JSON array of memories. Without OUTPUT_DIR the results go to the user's own temporary directory.

import { fileURLToPath } from "node:url";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { offloadLargeResults } from "lro-component/mcp";
import { z } from "zod";

import { Memories, atDetail, formatted } from "./memories.js";

const [file = fileURLToPath(new URL("memories.json", import.meta.url)), outputDir] = process.argv.slice(2);

const memories = new Memories(file);
const server = new McpServer({ name: "memories", version: "0.1.0" });

// What these tools give are memories: their recipes are those of memories, and scores stay out of files.
const tools = Object.fromEntries(
  ["recall_memories", "search", "list_memories", "inject_context"].map((name) => [name, { memories: true }]),
);

// The one line. Results of every tool that are too large go to a file; `lro_extract` is listed and answered.
const large = await offloadLargeResults(server, { outputDir, tools, onEvent: ({ message }) => console.error(message) });

const detail = z.enum(["light", "medium", "full"]);
const answer = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value });

server.registerTool(
  "recall_memories",
  {
    description: "Memories that a query brings back, the best first",
    inputSchema: { query: z.string(), detail: detail.default("light"), limit: z.number().int().positive().optional() },
  },
  ({ query, detail, limit }) => answer({ memories: memories.search(query, limit).map(({ memory }) => atDetail(memory, detail)) }),
);

server.registerTool(
  "search",
  {
    description: "Memories with their scores",
    inputSchema: { query: z.string(), limit: z.number().int().positive().optional() },
    outputSchema: { hits: z.array(z.object({ memory: z.object({}).passthrough(), score: z.number() })) },
  },
  ({ query, limit }) => {
    const hits = memories.search(query, limit).map(({ memory, score }) => ({ memory: atDetail(memory, "medium"), score }));
    return answer({ hits });
  },
);

// Pages and formatted text come after the decision, so these two ask for it themselves.

const PAGE = 5;

server.registerTool(
  "list_memories",
  {
    description: "All memories of a namespace; what is small comes in pages, and `cursor` leads on",
    inputSchema: { namespace: z.string().default(""), detail: detail.default("light"), cursor: z.string().optional() },
  },
  async ({ namespace, detail, cursor }, extra) => {
    const records = memories.list(namespace).map((memory) => atDetail(memory, detail));
    const decided = await large.offload({ operation: "list_memories", records, detail, alreadyProjected: true }, extra);
    if (decided.outcome === "offloaded") return answer(decided.response);
    const from = Number(cursor ?? 0);
    const next = from + PAGE < records.length ? { next_cursor: String(from + PAGE) } : {};
    return answer({ memories: records.slice(from, from + PAGE), ...next });
  },
);

server.registerTool(
  "inject_context",
  {
    description: "Memories on a subject, as text for a prompt",
    inputSchema: { query: z.string(), budget_tokens: z.number().int().positive().default(2000) },
  },
  async ({ query, budget_tokens }, extra) => {
    const records = memories.search(query).map(({ memory }) => atDetail(memory, "medium"));
    const text = formatted(records, budget_tokens);
    const request = { operation: "inject_context", query, records, detail: "medium", alreadyProjected: true, formatted: text };
    const decided = await large.offload(request, extra);
    return decided.outcome === "offloaded" ? answer(decided.response) : { content: [{ type: "text", text: decided.text }] };
  },
);

await server.connect(new StdioServerTransport());
