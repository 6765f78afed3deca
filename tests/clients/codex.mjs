// Codex CLI: `codex exec` with a scripted Responses API.

import { join } from 'node:path';
import { HERE, SERVER } from './world.mjs';

export const codex = {
  name: 'codex',
  version: '0.169.0',
  program: join(HERE, 'node_modules/.bin/codex'),
  configure(world) {
    world.write(
      '.codex/config.toml',
      `# This comment stays.
model = "gpt-5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${world.model.url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[mcp_servers.records] # the tracker
command = ${JSON.stringify(SERVER.command)}
args = ${JSON.stringify(SERVER.args)}
required = true
`,
    );
  },
  environment: () => ({ SCRIPTED_KEY: 'scripted' }),
  // Hooks that a user has not seen yet are not run: the flag is for tests.
  arguments: [
    ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...['--dangerously-bypass-hook-trust', 'Look at the issues.'],
  ],
  shell: (command) => ({ name: 'exec_command', arguments: { cmd: command } }),
  mcp: (tool, args) => ({ name: tool, namespace: 'mcp__records', arguments: args }),
  extract: (args) => ({ name: 'lro_extract', namespace: 'mcp__lro', arguments: args }),
  // Its shell cuts results above 40,000 characters before a hook sees them.
  offloaded: { shell: [{ name: 'exec_command', arguments: { cmd: 'cat few.json' } }, 60] },
  today: {
    list: /^Wall time: .*\nOutput:\n\[\{"id":0,[^]{11000,13000}"comments":9\}\]$/,
    structured: /^Wall time: .*\nOutput:\n\{"issues":\[\{"id":0,[^]{11000,13000}"comments":9\}\]\}$/,
    shell: /^Chunk ID: [^]*Warning: truncated output[^]{9000,13000}"comments":9\}\]$/,
  },
};
