// A consumer in CommonJS, checked by `tsc` as projects are whose compiler does not require modules.

import lro = require("lro-component");
import mcp = require("lro-component/mcp");

export async function consume(payload: string): Promise<string> {
  const one = await lro.Lro.open({ outputDir: "results" });
  const answer: lro.Offloading = await one.offload({ operation: "recall", payload });
  // @ts-expect-error: an unknown setting
  await lro.Lro.open({ tresholdTokens: 1 });
  await mcp.offloadLargeResults({ connect: async () => {} }, { lro: one });
  return answer.text;
}
