// The plugin file of opencode alone: it must leave an output as it is when anything goes wrong, at no cost for short
// ones.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { CLIENTS, HERE } from './world.mjs';

const WORLDS = join(HERE, 'worlds');

/** The hooks of the plugin, where `lro` is a shell script with this body, or missing. */
async function plugin(t, body) {
  mkdirSync(WORLDS, { recursive: true });
  const folder = mkdtempSync(join(WORLDS, 'plugin-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const source = readFileSync(join(CLIENTS, 'opencode/lro.js'), 'utf8');
  const program = join(folder, 'lro');
  if (body) {
    writeFileSync(program, `#!/bin/sh\ntouch ${folder}/started\n${body}\n`);
    chmodSync(program, 0o755);
  }
  const ours = `const LRO = ${JSON.stringify(program)};`;
  writeFileSync(join(folder, 'lro.mjs'), source.replace("const LRO = 'lro';", ours));
  const { LargeResults } = await import(join(folder, 'lro.mjs'));
  return { hooks: await LargeResults({}), started: () => existsSync(join(folder, 'started')) };
}

/** What the plugin makes of an output. */
async function after(hooks, output) {
  await hooks['tool.execute.after']({ tool: 'any', sessionID: 's', callID: 'c', args: {} }, output);
  return output;
}

const LONG = 'a line of a result\n'.repeat(10_000);

test('the answer takes the place of the output', async (t) => {
  const { hooks } = await plugin(t, `cat > /dev/null; echo '{"title":"t","output":"a response"}'`);
  assert.deepEqual(await after(hooks, { title: 't', output: LONG }), { title: 't', output: 'a response' });
});

test('an answer without structured content removes it', async (t) => {
  const { hooks } = await plugin(t, `cat > /dev/null; echo '{"content":[{"type":"text","text":"a response"}]}'`);
  const output = { content: [{ type: 'text', text: LONG }], structuredContent: { rows: [LONG] } };
  assert.deepEqual(await after(hooks, output), { content: [{ type: 'text', text: 'a response' }] });
});

test('a short output starts no process', async (t) => {
  const { hooks, started } = await plugin(t, `echo '{"output":"never"}'`);
  const block = { type: 'text', text: 'short' };
  for (const output of [{ output: 'short', metadata: {} }, { content: [block] }, {}, undefined]) {
    assert.deepEqual(await after(hooks, structuredClone(output)), output);
  }
  assert.ok(!started());
  // What was cut is long, whatever is left of it.
  await after(hooks, { output: 'short', metadata: { outputPath: '/somewhere' } });
  assert.ok(started());
});

for (const [name, body] of Object.entries({
  'prints nothing': 'cat > /dev/null',
  fails: `echo '{"output":"never"}'; exit 1`,
  'prints no JSON': 'echo "not JSON"',
  'prints a number': 'echo 3',
  'prints another object': `echo '{"error":"x"}'`,
  'ends without reading': 'exec <&-; exit 0',
  'is missing': undefined,
})) {
  test(`the output stays when lro ${name}`, async (t) => {
    const { hooks } = await plugin(t, body);
    const output = { title: 't', output: LONG, metadata: { truncated: false } };
    assert.deepEqual(await after(hooks, structuredClone(output)), output);
  });
}

test('the server that a user has configured wins', async (t) => {
  const { hooks } = await plugin(t);
  const config = { mcp: { lro: { type: 'local', command: ['mine'] }, other: { type: 'local', command: ['other'] } } };
  await hooks.config(config);
  assert.deepEqual(config.mcp.lro.command, ['mine']);
  const empty = {};
  await hooks.config(empty);
  assert.deepEqual(empty.mcp.lro.command.slice(1), ['mcp']);
});
