// Puts large results of all tools into files, for opencode: copy this file to ~/.config/opencode/plugins/ or to
// .opencode/plugins/ of a project. It needs the command `lro`.

import { spawn } from 'node:child_process';

// `lro setup opencode` writes the full path here, because opencode's PATH may differ from the shell's.
const LRO = "@LRO@";

/** Shorter results are never offloaded, so that no process is started for them. */
const SHORT = 1000;

/** How long a result may take, in milliseconds. After that it passes as it is. */
const PATIENCE = 60_000;

export const LargeResults = async () => ({
  // The tools that read the files. What the user has written under this name wins.
  config: async (config) => {
    config.mcp = { lro: { type: 'local', command: [LRO, 'mcp'] }, ...config.mcp };
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
    if (isShort(output)) return;
    const changed = await hook(JSON.stringify({ tool, sessionID, callID, args, output })).catch(() => undefined);
    if (isOutput(changed)) replace(output, changed);
  },
});

// A shell's output may have been cut already, and then the whole is in a file.
const isShort = (output) => !output?.metadata?.outputPath && textOf(output).length < SHORT;

// An MCP server's result has content, any other an output.
const textOf = ({ output, content } = {}) =>
  output ?? content?.map((block) => block.text ?? block.resource?.text ?? '').join('') ?? '';

const isOutput = (value) => typeof value?.output === 'string' || Array.isArray(value?.content);

// opencode keeps the object that it passed, so its members change.
function replace(output, changed) {
  for (const name of Object.keys(output)) if (!(name in changed)) delete output[name];
  Object.assign(output, changed);
}

/** Runs `lro hook opencode`, and returns the output that it prints, or nothing when nothing changes. */
function hook(event) {
  return new Promise((resolve, reject) => {
    const child = spawn(LRO, ['hook', 'opencode'], { stdio: ['pipe', 'pipe', 'ignore'], timeout: PATIENCE });
    let answer = '';
    child.stdout.setEncoding('utf8').on('data', (data) => (answer += data));
    child.on('error', reject);
    child.on('close', (status) => {
      try {
        resolve(status === 0 && answer.trim() ? JSON.parse(answer) : undefined);
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.on('error', () => {}); // It may end without reading everything.
    child.stdin.end(event);
  });
}
