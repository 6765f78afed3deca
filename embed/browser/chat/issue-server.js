// The server of issues over standard streams. The argument says whether it has resources.

import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

import { issueServer } from "./issue-tools.js";

await issueServer({ hasResources: process.argv[2] === "with-resources" }).connect(new StdioServerTransport());
