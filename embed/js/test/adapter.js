// This package as an adapter of `lro conformance --engine`: a call a line, a reply a line (docs/CONFORMANCE.md).

import { rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { LroError } from "../src/index.js";
import { fromContract, toContract } from "../src/names.js";
import { Disks } from "./disks.js";
import { shared } from "./shared.js";

const disks = new Disks(shared.temporary());

async function answer({ call, payload, source, request, settings, directory, access, ...asked }) {
  if (call === "hello") return { name: "javascript" };
  if (call === "resolve") {
    const { explicit, file_text: settingsText, environment } = asked;
    return (await disks.on()).resolve({ ...explicit, settingsText, environment });
  }
  // Opening makes a missing directory, and a write makes it again; a case that wants none gets a file in its place.
  const isMissing = access === "missing";
  if (isMissing) rmSync(directory, { recursive: true, force: true });
  const lro = await (await disks.on(access)).reopen({ ...settings, outputDir: directory });
  if (isMissing) {
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "");
  }
  const { file: filePath, content } = source ?? {};
  const options = fromContract(request ?? {});
  switch (call) {
    case "estimate":
      return lro.estimate({ ...options, payload });
    case "offload":
      return toContract(await lro.offload({ ...options, payload }));
    case "extract": {
      const { text: results, ...page } = await lro.extract({ raw: null, ...options, filePath, content });
      return { ...page, results };
    }
    case "read":
    case "search": {
      const { remarks, ...page } = await lro[call]({ ...options, filePath, content });
      return { ...page, remarks: remarks.map(snake) };
    }
    case "describe":
      return lro.describe({ filePath, content });
    case "rebuild":
      return lro.rebuild({ filePath, content });
    case "list-files":
      return lro.listFiles(options);
    case "copies":
      return lro.copies({ filePath, content });
    case "cleanup":
      return toContract(await lro.cleanup(options));
    case "mcp-tools":
      return lro.mcpTools();
    case "mcp-call":
      return lro.mcpCall(asked.name, JSON.parse(asked.call_arguments || "{}"));
    case "mcp-offload-result":
      return toContract(await lro.mcpOffloadResult(asked.tool, asked.call_arguments, asked.call_result));
    case "mcp-offload-tools":
      return { message: await lro.mcpOffloadTools(asked.list_result) };
    case "mcp-resolve-arguments":
      return { message: await lro.mcpResolveArguments(asked.tool, asked.call_arguments) };
  }
}

/** The names of options in a message as the contract has them. */
const snake = (message) => message.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) => Object.keys(toContract({ [name]: 0 }))[0]);

async function reply(asked) {
  try {
    return { answer: await answer(asked) };
  } catch (error) {
    if (!(error instanceof LroError)) return { trap: String(error.stack) };
    const { case: name, message, hint, known, limit, value } = error;
    return { error: { case: name, message: snake(message), hint: snake(hint), known, limit, value } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...asked } = JSON.parse(line);
  console.log(JSON.stringify({ id, ...(await reply(asked)) }));
}
await disks.close();
