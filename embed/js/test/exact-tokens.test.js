// Tokens counted exactly, by a component that is not in the package. The variable LRO names the command that writes it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

import { Lro } from "../src/index.js";
import { shared } from "./shared.js";

const command = { skip: !process.env.LRO && "LRO does not name the command" };
const result = { operation: "read_file", payload: "Exact tokens, please." };

test("the component with the vocabularies counts exactly", command, async () => {
  const component = join(shared.temporary(), "lro-exact.wasm");
  execFileSync(process.env.LRO, ["component", "--exact-tokens", "-o", component]);
  const lro = await Lro.open({ outputDir: shared.temporary(), component, tokenizer: "o200k_base" });
  assert.equal(await lro.estimate(result), 5);
  assert.equal(await (await lro.with({ tokenizer: "chars" })).estimate(result), 6);
  await lro.close();
});

test("the component of the package says what is missing", async () => {
  const lro = await Lro.open({ outputDir: shared.temporary(), tokenizer: "cl100k_base" });
  await assert.rejects(lro.estimate(result), { case: "invalid-argument", message: /`cl100k_base`/, hint: /--exact-tokens/ });
  await lro.close();
});

test("a file that is not a component is refused", async () => {
  const opened = (component) => Lro.open({ outputDir: shared.temporary(), component });
  await assert.rejects(opened(new URL(import.meta.url).pathname), { case: "unusable", message: /not a component/ });
  await assert.rejects(opened("missing.wasm"), { case: "unusable", message: /missing\.wasm/ });
  await assert.rejects(opened(7), { case: "invalid-argument", message: /component is the path of a file/ });
});
