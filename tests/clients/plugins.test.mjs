// The plugin folders: their manifests pass the validators of the programs that read them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { claude } from './claude.mjs';
import { gemini } from './gemini.mjs';
import { begin, CLIENTS, succeeds } from './world.mjs';

const manifest = (path) => JSON.parse(readFileSync(join(CLIENTS, path), 'utf8'));

test('claude plugin validate', async (t) => {
  const world = await begin(t, claude);
  const validate = (folder) => succeeds(world.run(claude.program, ['plugin', 'validate', join(CLIENTS, folder)]));
  assert.match(await validate('.'), /Validation passed/);
  const plugin = await validate('claude');
  for (const part of ['PostToolUse * command "lro hook claude"', 'lro stdio lro ["mcp"]']) {
    assert.ok(plugin.includes(part), plugin);
  }
});

test('claude plugin details', async (t) => {
  const world = await begin(t, claude);
  await succeeds(world.run(claude.program, ['plugin', 'marketplace', 'add', CLIENTS]));
  await succeeds(world.run(claude.program, ['plugin', 'install', 'lro@lro']));
  const details = await succeeds(world.run(claude.program, ['plugin', 'details', 'lro@lro']));
  assert.match(details, /large-results/);
});

test('gemini extensions validate', async (t) => {
  const world = await begin(t, gemini);
  const { status, stderr } = await world.run(gemini.program, ['extensions', 'validate', join(CLIENTS, 'gemini')]);
  assert.match(stderr, /successfully validated/);
  assert.equal(status, 0, stderr);
});

test('the versions are that of lro', async (t) => {
  const world = await begin(t, claude);
  const version = (await world.lro('--version')).trim().split(' ')[1];
  assert.equal(manifest('claude/.claude-plugin/plugin.json').version, version);
  assert.equal(manifest('gemini/gemini-extension.json').version, version);
});
