// An MCP server as people write them, on the official SDK: a large list as text or as structured content, and an error.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { issues } from './issues.mjs';

const server = new McpServer({ name: 'records', version: '1.0.0' });
const input = { count: z.number() };

server.registerTool('list_issues', { description: 'Lists issues.', inputSchema: input }, ({ count }) => ({
  content: [{ type: 'text', text: JSON.stringify(issues(count)) }],
}));
server.registerTool(
  'search_issues',
  { description: 'Searches issues.', inputSchema: input, outputSchema: { issues: z.array(z.any()) } },
  ({ count }) => {
    const structuredContent = { issues: issues(count) };
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  },
);
server.registerTool('fail', { description: 'Fails with a long text.', inputSchema: input }, ({ count }) => ({
  content: [{ type: 'text', text: JSON.stringify(issues(count)) }],
  isError: true,
}));
await server.connect(new StdioServerTransport());
