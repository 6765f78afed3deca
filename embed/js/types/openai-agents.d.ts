import type { Agent, AgentConfiguration, RunContext } from "@openai/agents";

import type { ToolResults, ToolResultsOptions } from "./tool-results.js";

type Closing = { [Symbol.asyncDispose](): Promise<void> };

type Options = ToolResultsOptions<RunContext<any>> | ToolResults;

/** An agent like this one, with offloading: guardrails on the outputs of its tools and MCP servers, and our tools. */
export function offloadLargeResults<A extends Agent<any, any>>(agent: A, options?: Options): Promise<A & Closing>;

/** What an agent is made of: `new Agent(await offloadLargeResults({ name, tools, mcpServers }))`. */
export function offloadLargeResults<C extends Partial<AgentConfiguration<any, any>>>(configuration: C, options?: Options): Promise<C & Closing>;
