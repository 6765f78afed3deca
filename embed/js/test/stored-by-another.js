// A process that offloads rows to a Redis and then waits to be killed: `node stored-by-another.js URL`.

import KeyvRedis from "@keyv/redis";
import { Keyv } from "keyv";

import { Lro } from "../src/index.js";

const store = new Keyv({ store: new KeyvRedis(process.argv[2]), namespace: "lro" });
const lro = await Lro.open({ store, thresholdTokens: 800 });
const records = Array.from({ length: 2000 }, (_, id) => ({ id, title: `row ${id}` }));
const { response } = await lro.offload({ operation: "recall", records });
console.log(response.file_path);
setInterval(() => {}, 1000);
