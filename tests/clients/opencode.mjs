// opencode: `opencode run` with a scripted Messages API.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS, HERE, SERVER } from './world.mjs';

export const opencode = {
  name: 'opencode',
  version: '1.18.33',
  program: join(HERE, `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`),
  configure(world) {
    const options = { baseURL: `${world.model.url}/v1`, apiKey: 'scripted' };
    const model = { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8192 } };
    world.write('.config/opencode/opencode.json', {
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      model: 'anthropic/scripted',
      small_model: 'anthropic/scripted',
      provider: { anthropic: { options, models: { scripted: model } } },
      mcp: { records: { type: 'local', command: [SERVER.command, ...SERVER.args] } },
    });
  },
  environment: ({ model }) => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    // It installs a package for whoever writes a plugin, and waits for that.
    npm_config_registry: `${model.url}/npm/`,
  }),
  arguments: ['run', 'Look at the issues.'],
  // opencode stops reading when the command ends, and loses what is still in the pipe.
  shell: (command) => ({
    name: 'bash',
    arguments: { command: `${command}; sleep 0.5`, description: 'Prints issues' },
  }),
  mcp: (tool, args) => ({ name: `records_${tool}`, arguments: args }),
  extract: (args) => ({ name: 'lro_lro_extract', arguments: args }),
  fetch: (url) => ({ name: 'webfetch', arguments: { url, format: 'text' } }),
  read: (path) => ({ name: 'read', arguments: { filePath: path } }),
  edit: (path, before, after) => ({
    name: 'edit',
    arguments: { filePath: path, oldString: before, newString: after },
  }),
  tellsStatus: true,
  today: {
    list: /^\s*\.\.\.144093 bytes truncated\.\.\.\n\n.* Full output saved to: /,
    structured: /^\s*\.\.\.144104 bytes truncated\.\.\.\n\n.* Full output saved to: /,
    shell: /^\.\.\.output truncated\.\.\.\n\nFull output saved to: /,
    fetch: /^\s*\.\.\.\d+ bytes truncated\.\.\./,
  },
};

/** By the plugin file alone, copied to where opencode looks for plugins. */
export function byPlugin(world) {
  world.write('.config/opencode/plugins/lro.js', readFileSync(join(CLIENTS, 'opencode/lro.js'), 'utf8'));
}
