// A consumer, checked by `tsc`: what should compile does, and each line below `@ts-expect-error` does not.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createMcpHandler, McpServer as McpServer2, type McpHttpHandler } from "@modelcontextprotocol/server";
import { Lro, LroError, type Extraction, type OffloadResponse } from "lro-component";
import { largeResults, offloadLargeResults } from "lro-component/mcp";

export async function consume(payload: string): Promise<string | number[]> {
  await using lro = await Lro.open({ outputDir: "results", thresholdTokens: 1600, tools: { list: { offload: "never" } } });
  const tokens: number = await lro.estimate({ operation: "recall", payload });
  const answer = await lro.offload({ operation: "recall", records: [{ id: tokens }], detail: "full" });
  if (answer.outcome !== "offloaded") {
    // @ts-expect-error: only an offloaded result has a response
    answer.response;
    return answer.text;
  }
  const response: OffloadResponse = answer.response;
  const page: Extraction<{ n: number }> = await lro.extract({ filePath: response.file_path, where: ["n>1"], sortBy: "-n" });
  const any = { any: ["n>1", { field: "n", op: "between", value: [3, null] }, { not: { field: "n", op: "not in", value: [1] } }] } as const;
  const sums = await lro.extract({ filePath: response.file_path, where: [any], groupBy: "a,b", aggregate: ["sum(n)"] });
  const firsts = await lro.extract({ filePath: response.file_path, groupBy: [["a"], ["b", "c"]], perGroup: 3 });
  const beside = await lro.extract({ filePath: response.file_path, records: ".relations", where: "from=a", count: true });
  return [...page.results.map(({ n }) => n), sums.count, firsts.count, beside.count];
}

export async function wraps(lro: Lro): Promise<string> {
  const list = lro.wrap(async (state: string) => [{ state, n: 1 }], {
    operation: "list",
    sections: { ".": { summary: (rows: { n: number }[]) => `${rows.length}`, recipes: [{ name: "n", query: ".n" }] } },
  });
  const listed = await list("open");
  // @ts-expect-error: the wrapper takes what the function takes
  await list(7);
  await using session = lro.session("work");
  const answer = await session.offload({ operation: "list", value: listed });
  return lro.withSession("other", ({ name }) => name + answer.text);
}

export async function mistakes(lro: Lro): Promise<void> {
  // @ts-expect-error: a result is missing
  await lro.offload({ operation: "recall" });
  // @ts-expect-error: a source is missing
  await lro.extract({ recipe: 1 });
  // @ts-expect-error: an unknown setting
  await Lro.open({ tresholdTokens: 1 });
  // @ts-expect-error: it is opened, not constructed
  new Lro();
}

export function told(error: unknown): string {
  return error instanceof LroError && error.case === "limit-reached" ? `${error.limit}: ${error.value}` : String(error);
}

export async function serve(server: McpServer): Promise<void> {
  const large = await offloadLargeResults(server, { outputDir: "results", sharedFileSystem: true, onEvent: ({ name }) => name });
  server.registerTool("list", {}, async (extra) => {
    const { text } = await large.offload({ operation: "list", records: [] }, extra);
    return { content: [{ type: "text", text }] };
  });
}

/** The SDK's second version: a server for each request, and one offloading for all. */
export async function serveEach(): Promise<McpHttpHandler> {
  const large = await largeResults({ session: ({ authInfo, request } = {}) => authInfo?.clientId ?? request?.headers.get("x") ?? undefined });
  return createMcpHandler(() => {
    const server: McpServer2 = large.attach(new McpServer2({ name: "rows", version: "1" }));
    server.registerTool("list", {}, async (context) => {
      const { text } = await large.offload({ operation: "list", records: [] }, context);
      return { content: [{ type: "text", text }] };
    });
    return server;
  });
}
