// A clean home with a project, in which a client runs a conversation with the scripted model.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scripted } from './api.mjs';
import { issues } from './issues.mjs';

export const HERE = dirname(fileURLToPath(import.meta.url));

/** The command that is tested. */
export const LRO = process.env.LRO;

/** The folder with the plugins. */
export const CLIENTS = process.env.LRO_CLIENTS;

/** The MCP server that the clients have, called `records`. */
export const SERVER = { command: process.execPath, args: [join(HERE, 'records.server.mjs')] };

/** The compiled component, which every home has: compiling takes longer than clients wait for a server. */
const COMPILED = join(HERE, 'compiled');
mkdirSync(COMPILED, { recursive: true, mode: 0o700 });
const COMPILING = { LRO_CACHE_DIR: COMPILED };
execFileSync(LRO, ['estimate', '-'], { input: '[]', env: COMPILING });

/** How long a program may take, in milliseconds. A conversation takes two to twelve seconds. */
const PATIENCE = 120_000;

/** A client in a home of its own, configured for a scripted model. `test` closes both. */
export async function begin(test, client) {
  const home = newHome(test);
  const model = await scripted();
  test.after(model.close);
  const world = { home, model, project: join(home, 'project') };
  world.path = (name) => join(home, name);
  world.read = (name) => readFileSync(world.path(name), 'utf8');
  world.write = (name, content) => {
    mkdirSync(dirname(world.path(name)), { recursive: true });
    writeFileSync(world.path(name), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  };
  const environment = { ...clean(home), ...client.environment(world) };
  world.run = (program, args) => run(program, args, world.project, environment);
  world.loseLro = () => Object.assign(environment, { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
  world.lro = (...args) => succeeds(world.run(LRO, args));
  world.converse = (steps) => converse(client, world, steps);
  world.write('project/issues.json', JSON.stringify(issues(1000)));
  world.write('project/few.json', JSON.stringify(issues(60)));
  world.write('project/source.js', SOURCE);
  client.configure(world);
  return world;
}

const LINES = Array.from({ length: 220 }, (_, line) => `export const constant${line} = ${line} * 2; // a line\n`);

/** A source file of some 2,500 tokens, more than a result may have. */
export const SOURCE = LINES.join('');

function newHome(test) {
  const worlds = join(HERE, 'worlds');
  mkdirSync(worlds, { recursive: true });
  const home = mkdtempSync(join(worlds, 'home-'));
  if (!process.env.LRO_CLIENTS_KEEP) {
    test.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 9, retryDelay: 200 }));
  }
  mkdirSync(join(home, 'tmp'));
  const cache = join(home, '.cache/lro');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  // Tests run beside each other, and another one may still write a file that is only for it.
  const whole = readdirSync(COMPILED).filter((file) => !file.endsWith('.part'));
  for (const file of whole) linkSync(join(COMPILED, file), join(cache, file));
  return home;
}

// Nothing of whoever runs the tests gets in: no key, no configuration. A request to the network goes nowhere.
const clean = (home) => ({
  PATH: `${dirname(LRO)}:${process.env.PATH}`,
  HOME: home,
  TMPDIR: join(home, 'tmp'),
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
});

/** Lets the model follow `steps` in the client, and returns the texts of their results and the names of all tools. */
async function converse(client, world, steps) {
  const { model } = world;
  model.follow(steps);
  const { status, stdout, stderr } = await world.run(client.program, client.arguments);
  const story = () => `${client.name} ended with ${status} after ${model.turns.length} turns\n${stdout}\n${stderr}`;
  for (const failure of model.failures) throw new Error(`a step failed: ${failure.message}; ${story()}`);
  assert.equal(status, 0, story());
  assert.equal(model.turns.length, steps.length + 1, story());
  const { results, tools } = model.turns.at(-1);
  assert.equal(results.length, model.calls, story());
  return { results, tools, turns: model.turns };
}

/** How many tokens of o200k_base a text has. */
export const tokens = (text) =>
  Number(execFileSync(LRO, ['estimate', '--tokenizer', 'o200k_base', '-'], { input: text, env: COMPILING }));

/** What a program wrote to standard output, if it succeeds. */
export async function succeeds(running) {
  const { status, stdout, stderr } = await running;
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return stdout;
}

// Runs a program to its end. Whatever it started goes with it.
function run(program, args, cwd, env) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (data) => (output[name] += data));
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  const timer = setTimeout(end, PATIENCE);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      end();
      resolve({ status: status ?? signal, ...output });
    });
  });
}
