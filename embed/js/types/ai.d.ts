import type { ToolExecutionOptions, ToolSet } from "ai";

import type { ToolResults, ToolResultsOptions } from "./tool-results.js";

/**
 * The tools, with large results in files, and ours beside them: `streamText({ tools: await offloadLargeResults(tools) })`.
 * `await using tools = …` deletes the files at the end of the block. The type does not list our tools.
 */
export function offloadLargeResults<T extends ToolSet>(
  tools: T,
  options?: ToolResultsOptions<ToolExecutionOptions<any>> | ToolResults,
): Promise<T & { [Symbol.asyncDispose](): Promise<void> }>;
