// Claude Code: `claude --print` with a scripted Messages API.

import { join } from 'node:path';
import { CLIENTS, HERE, SERVER, succeeds } from './world.mjs';

export const claude = {
  name: 'claude',
  version: '2.1.330',
  program: join(HERE, `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
  configure(world) {
    world.write('.claude.json', { mcpServers: { records: { type: 'stdio', ...SERVER } } });
    world.write('.claude/settings.json', { includeCoAuthoredBy: false });
  },
  environment: ({ model }) => ({
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  arguments: [
    ...['--print', 'Look at the issues.', '--allowedTools', 'Bash', 'Read', 'Edit', 'WebFetch'],
    ...['mcp__records', 'mcp__lro', 'mcp__plugin_lro_lro'],
  ],
  shell: (command) => ({ name: 'Bash', arguments: { command, description: 'Prints issues' } }),
  mcp: (tool, args) => ({ name: `mcp__records__${tool}`, arguments: args }),
  extract: (args) => ({ name: 'mcp__lro__lro_extract', arguments: args }),
  read: (path) => ({ name: 'Read', arguments: { file_path: path } }),
  edit: (path, before, after) => ({
    name: 'Edit',
    arguments: { file_path: path, old_string: before, new_string: after },
  }),
  tellsStatus: true,
  today: {
    list: /^Error: result \(144,093 characters across 1 line\) exceeds maximum allowed tokens[^]*until 100% of the/,
    structured: /^Error: result \(144,104 characters\) exceeds maximum allowed tokens[^]*until 100% of the content/,
    shell: /^<persisted-output>\nOutput too large \(140\.7KB\)\. Full output saved to: /,
  },
};

/** By the plugin: its marketplace is a folder. */
export async function byPlugin(world) {
  const plugin = (...args) => succeeds(world.run(claude.program, ['plugin', ...args]));
  await plugin('marketplace', 'add', CLIENTS);
  await plugin('install', 'lro@lro');
  return { extract: (args) => ({ name: 'mcp__plugin_lro_lro__lro_extract', arguments: args }) };
}
