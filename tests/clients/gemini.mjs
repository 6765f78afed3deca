// Gemini CLI: `gemini --prompt` with a scripted Gemini API.

import { join } from 'node:path';
import { CLIENTS, HERE, SERVER, succeeds } from './world.mjs';

export const gemini = {
  name: 'gemini',
  version: '0.61.0',
  program: join(HERE, 'node_modules/.bin/gemini'),
  configure(world) {
    world.write('.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      mcpServers: { records: SERVER },
    });
  },
  environment: ({ model }) => ({ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: model.url }),
  arguments: ['--prompt', 'Look at the issues.', '--model', 'gemini-2.5-flash', '--yolo', '--skip-trust'],
  shell: (command) => ({ name: 'run_shell_command', arguments: { command } }),
  mcp: (tool, args) => ({ name: `mcp_records_${tool}`, arguments: args }),
  extract: (args) => ({ name: 'mcp_lro_lro_extract', arguments: args }),
  read: (path) => ({ name: 'read_file', arguments: { file_path: path } }),
  edit: (path, before, after) => ({
    name: 'replace',
    arguments: { file_path: path, instruction: 'Change it', old_string: before, new_string: after },
  }),
  tellsStatus: true,
  joinsHooks: true,
  // It takes a text that is a JSON array for structured content, and rejects that before a hook sees it.
  offloaded: { list: undefined },
  today: {
    list: /^MCP tool 'list_issues' reported tool error .*expected record, received array/,
    structured: /^Output too large\. Showing first 8,000 and last 32,000 characters\. For full output see: /,
    shell: /^Output too large\. Showing first 8,000 and last 32,000 characters\. For full output see: /,
  },
};

/** By the extension, from its folder. Whoever installs it is asked whether to trust the folder: this is the answer. */
export async function byExtension(world) {
  const folder = join(CLIENTS, 'gemini');
  world.write('.gemini/trustedFolders.json', { [folder]: 'TRUST_FOLDER' });
  await succeeds(world.run(gemini.program, ['extensions', 'install', folder, '--consent']));
}
