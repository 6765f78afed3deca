// Large texts on their way to the component and back.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";

import { finishedBinding } from "../scripts/binding.js";
import { Lro } from "../src/index.js";
import { decode, encode, packed, unpacked } from "../src/texts.js";
import { shared } from "./shared.js";

let lro;
before(async () => (lro = await Lro.open({ outputDir: shared.temporary() })));
after(() => lro.close());

const LARGE = 20_000;
const texts = ["", "a", "\ufeffmark", "é".repeat(LARGE), `\ufeff${"日😀".repeat(LARGE)}`, "x".repeat(1_000_000)];

test("a message arrives as it was sent, however large its texts are", () => {
  const { port1, port2 } = new MessageChannel();
  for (const text of texts) {
    const message = { function: ["a", "b"], given: [text, { tag: "content", val: text }], bytes: new Uint8Array([1, 2]), missing: undefined, nothing: null, one: 1n };
    port1.postMessage(...packed(message));
    assert.deepEqual(unpacked(receiveMessageOnPort(port2).message), message);
  }
  port1.close();
});

test("the component gets the bytes of a text, and its bytes become a text", () => {
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    assert.deepEqual(encode(text), bytes);
    assert.deepEqual(encode(packed([text])[0][0]), bytes);
    assert.equal(unpacked(packed([decode(bytes)])[0])[0], text);
  }
  assert.throws(() => encode(undefined), TypeError);
});

test("a binding that jco writes otherwise is not taken", () => {
  assert.throws(() => finishedBinding("const TEXT_DECODER_UTF8 = new TextDecoder('utf-8');", "./texts.js"), /jco binds otherwise than it did/);
});

test("large texts come back byte for byte", async () => {
  const large = texts.filter((text) => text.length >= LARGE);
  const { response } = await lro.offload({ operation: "recall", records: large.map((text, id) => ({ id, text })) });
  const { results, text } = await lro.extract({ filePath: response.file_path, query: ".text", maxBytes: 64 << 20 });
  assert.deepEqual(results, large);
  assert.equal(text, large.map((one) => `${JSON.stringify(one)}\n`).join(""));
  // Half of a surrogate pair has no UTF-8: it is kept as its escape.
  const half = await lro.offload({ operation: "recall", payload: `[${`{"half":"${"y".repeat(LARGE)}\ud800"},`.repeat(5)}{}]` });
  assert.match(readFileSync(half.response.file_path, "utf8"), /y\\ud800"\}\n/);
  await assert.rejects(lro.extract({ content: large[0], query: `.${"(".repeat(LARGE)}` }), { name: "LroError" });
});
