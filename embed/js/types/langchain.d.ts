import type { AgentMiddleware } from "langchain";

import type { ToolResults, ToolResultsOptions } from "./tool-results.js";

/** What LangChain hands to a tool, as far as sessions can be named by it. */
export interface LangChainContext {
  configurable?: Record<string, any>;
  context?: any;
}

/** The middleware: `createAgent({ model, tools, middleware: [await offloadLargeResults()] })`. */
export function offloadLargeResults(
  options?: ToolResultsOptions<LangChainContext> | ToolResults,
): Promise<AgentMiddleware & AsyncDisposable & { readonly results: ToolResults }>;
