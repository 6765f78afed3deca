// A consumer of all integrations, checked by `tsc` against the frameworks' own types.

import { createMCPClient } from "@ai-sdk/mcp";
import { query, type Options } from "@anthropic-ai/claude-agent-sdk";
import { Agent, MCPServerStdio, run, tool as openaiTool } from "@openai/agents";
import { generateText, streamText, tool, ToolLoopAgent, type LanguageModel } from "ai";
import { createAgent, tool as langchainTool } from "langchain";
import { z } from "zod";

import * as ai from "lro-component/ai";
import * as claude from "lro-component/claude";
import * as langchain from "lro-component/langchain";
import * as openai from "lro-component/openai-agents";
import { ToolResults } from "lro-component/tool-results";

export async function vercel(model: LanguageModel): Promise<string> {
  const list = tool({ description: "", inputSchema: z.object({ state: z.string() }), execute: async ({ state }) => [{ state, n: 1 }] });
  await using tools = await ai.offloadLargeResults({ list }, { session: ({ toolCallId }) => toolCallId, thresholdTokens: 1000 });
  const client = await createMCPClient({ transport: { type: "http", url: "http://127.0.0.1/mcp" } });
  const both = await ai.offloadLargeResults({ ...(await client.tools()), ...{ list } });
  const { toolResults } = await generateText({ model, tools, prompt: "?" });
  for (const result of toolResults) if (result.toolName === "list" && !result.dynamic) result.output[0]?.n.toFixed();
  streamText({ model, tools: both, prompt: "?" });
  new ToolLoopAgent({ model, tools: both });
  // @ts-expect-error: an unknown setting
  await ai.offloadLargeResults({ list }, { tresholdTokens: 1 });
  // @ts-expect-error: the SDK has no such member
  await ai.offloadLargeResults({ list }, { session: ({ nothing }) => nothing });
  // @ts-expect-error: not a tool
  await ai.offloadLargeResults({ list: 7 });
  // @ts-expect-error: tools are missing
  await ai.offloadLargeResults();
  return Object.keys(tools).join();
}

export async function chains(): Promise<void> {
  const list = langchainTool(async () => "rows", { name: "list", description: "", schema: z.object({}) });
  const middleware = await langchain.offloadLargeResults({ contextTokens: "model", session: ({ configurable }) => configurable?.thread_id });
  const agent = createAgent({ model: "openai:gpt", tools: [list], middleware: [middleware] });
  const { messages } = await agent.invoke({ messages: "?" });
  messages.at(-1)?.content;
  await middleware.results.close();
  // @ts-expect-error: a middleware is not a text
  const text: string = middleware;
  // @ts-expect-error: no such session
  await langchain.offloadLargeResults({ session: 7 });
}

export async function agents(): Promise<void> {
  const list = openaiTool({ name: "list", description: "", parameters: z.object({}), execute: async () => "rows" });
  const mcpServers = [new MCPServerStdio({ command: "server" })];
  const made = new Agent(await openai.offloadLargeResults({ name: "agent", tools: [list], mcpServers }, { contextTokens: 200_000 }));
  const changed: Agent = await openai.offloadLargeResults(made, { session: ({ context }) => String(context) });
  await run(changed, "?");
  // @ts-expect-error: the SDK has no such member
  await openai.offloadLargeResults(made, { session: ({ nothing }) => nothing });
  // @ts-expect-error: an agent has a name that is a text
  await openai.offloadLargeResults({ name: 7 });
}

export async function claudes(options: Options): Promise<void> {
  for await (const message of query({ prompt: "?", options: await claude.offloadLargeResults(options, { outputDir: "results" }) })) message.type;
  // @ts-expect-error: a folder is a text
  await claude.offloadLargeResults({ cwd: 7 });
  // @ts-expect-error: a query has one session
  await claude.offloadLargeResults({}, { session: () => "one" });
}

export async function own(): Promise<string> {
  await using results = await ToolResults.open({ session: "agent" });
  const rows: number[] = await results.offloadResult("list", { state: "open" }, [1, 2, 3], { inputTokens: 1000 });
  const names = results.tools.map(({ name, inputSchema }) => `${name}: ${inputSchema.type}`);
  const { content } = await results.call("lro_extract", { file_path: "a.jsonl", query: "." });
  return [rows.length, ...names, content[0]?.text].join();
}
