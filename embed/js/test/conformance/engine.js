// The package as the conformance suite sees it: one call of the contract, its answer as the cases spell it.

import { LroError } from "../../src/index.js";
import { fromContract, toContract } from "../../src/names.js";

/** `{ answer }` or `{ error }`; `call` has all names of the case filled in. */
export async function run(opened, call) {
  try {
    return { answer: await answer(opened, call) };
  } catch (error) {
    if (!(error instanceof LroError)) throw error;
    const { case: name, message, hint, known, limit, value } = error;
    return { error: { case: name, message: snake(message), hint: snake(hint), known, limit, value } };
  }
}

/** The names of options in a message as the contract has them. */
const snake = (message) => message.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) => Object.keys(toContract({ [name]: 0 }))[0]);

async function answer(opened, { function: name, payload, source, request, settings, fileText, environment, directory }) {
  if (name === "resolve") {
    return (await (await opened.on()).reopen({ ...settings, outputDir: settings.output_dir, settingsText: fileText, environment })).settings;
  }
  const lro = await (await opened.on(directory.kind)).reopen({ ...settings, outputDir: directory.path });
  directory.opened();
  const asked = fromContract(request);
  switch (name) {
    case "estimate":
      return { tokens: await lro.estimate({ ...asked, payload }) };
    case "offload": {
      const { outcome, text, estimatedTokens, events, fileName, content } = await lro.offload({ ...asked, payload });
      return { outcome, text, estimated_tokens: estimatedTokens, events, file_name: fileName, content: content ?? null };
    }
    case "extract": {
      const { text, count, total = null, truncated, next = null, failed, failures, remarks } = await lro.extract({ raw: null, ...asked, ...source });
      return { text, count, total, truncated, next, failed, failures, remarks };
    }
    case "describe":
      return { text: JSON.stringify(await lro.describe(source)) };
    case "rebuild":
      return { text: await lro.rebuild(source) };
    case "cleanup": {
      const { deleted, freedBytes, kept, events } = await lro.cleanup(asked);
      return { deleted, freed_bytes: freedBytes, kept, events };
    }
    case "mcp-tools":
      return { text: JSON.stringify(await lro.mcpTools()) };
    case "mcp-call":
      return { text: JSON.stringify(await lro.mcpCall(request.tool ?? "", request.arguments ?? {})) };
    case "mcp-offload-result": {
      const { message, fileName, sectionFileNames, events } = await lro.mcpOffloadResult(request.tool ?? "", request.arguments, payload);
      return { ...rewriting(payload, message), file_name: fileName ?? null, section_file_names: sectionFileNames, events };
    }
    case "mcp-offload-tools":
      return rewriting(payload, await lro.mcpOffloadTools(payload));
    default:
      throw new Error(`no such function: ${name}`);
  }
}

function rewriting(payload, replaced) {
  return replaced === undefined ? { outcome: "unchanged", text: payload } : { outcome: "replaced", text: replaced };
}
