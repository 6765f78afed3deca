import type { Options } from "@anthropic-ai/claude-agent-sdk";

import type { ToolResults, ToolResultsOptions } from "./tool-results.js";

/**
 * The options of a query with offloading, for one query: a hook that replaces large results of MCP servers and of commands,
 * and our tools. `query({ prompt, options: await offloadLargeResults({ mcpServers }) })`
 */
export function offloadLargeResults(
  options?: Options,
  settings?: (ToolResultsOptions & { session?: string }) | ToolResults,
): Promise<Options & AsyncDisposable>;
