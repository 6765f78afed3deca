// The official client of MCP on a server that is started as a client starts it: `node client.mjs FILE -- COMMAND…`. Prints what
// it sees as JSON. SERVER_ENVIRONMENT has all variables of the server.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [file, , command, ...args] = process.argv.slice(2);
const client = new Client({ name: "packaging-tests", version: "1.0.0" });
const env = JSON.parse(process.env.SERVER_ENVIRONMENT);
await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));

async function called(name, parameters) {
  const { content, isError } = await client.callTool({ name, arguments: { file_path: file, ...parameters } });
  if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
  return content.map(({ text }) => text).join("\n");
}

const { tools } = await client.listTools();
const described = await called("lro_describe", {});
const extracted = await called("lro_extract", { query: "select(.provenance.confidence >= 0.98) | .title" });
console.log(JSON.stringify({ server: client.getServerVersion(), tools: tools.map(({ name }) => name), described, extracted }));
await client.close();
