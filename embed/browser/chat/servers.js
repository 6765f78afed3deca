// Commands of the servers behind a proxy, for tests.

import { fileURLToPath } from "node:url";

/** A server with a tool alone. */
export const ISSUES = [process.execPath, fileURLToPath(new URL("issue-server.js", import.meta.url))];

/** One with a resource too. */
export const WITH_RESOURCES = [...ISSUES, "with-resources"];
