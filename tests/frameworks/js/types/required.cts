// A consumer in CommonJS.

import type { ToolSet } from "ai" with { "resolution-mode": "import" };

import ai = require("lro-component/ai");
import claude = require("lro-component/claude");
import langchain = require("lro-component/langchain");
import openai = require("lro-component/openai-agents");

export async function consume(tools: ToolSet): Promise<void> {
  const made = await ai.offloadLargeResults(tools, { outputDir: "results" });
  await claude.offloadLargeResults({ cwd: "." });
  await langchain.offloadLargeResults({ session: "agent" });
  await openai.offloadLargeResults({ name: Object.keys(made).join() });
  // @ts-expect-error: an unknown setting
  await ai.offloadLargeResults(tools, { tresholdTokens: 1 });
}
