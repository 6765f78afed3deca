// Records what a client writes about a conversation, for the tests of `lro audit`:
//
//   LRO=…/lro node record.mjs claude|codex with|without FOLDER
//
// FOLDER gets the transcript, the files in which the client saved results, and those that LRO offloaded. Of the transcript
// only the lines about calls stay. The home folder is called HOME_FOLDER, and ids are numbered.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { begin } from './world.mjs';
import { claude } from './claude.mjs';
import { codex } from './codex.mjs';
import { issues } from './issues.mjs';

const [name, how, folder] = process.argv.slice(2);
const client = { claude, codex }[name];
const withLro = how === 'with';

/** Lines of a transcript that say something about calls. */
const TELLS = {
  claude: (line) => ['user', 'assistant'].includes(line.type) && Array.isArray(line.message.content),
  codex: ({ payload: { type } }) => /^(function_call|function_call_output|item_completed|token_count)$/.test(type),
};

const savedIn = (result) => /(\/\S*tool-results\/\S+?)\.?(?=[\s"]|$)/.exec(result)[1];
const fileIn = (response) => /[^"\s\\]+\.(jsonl|txt)\b/.exec(response)[0];

const ask = (question) => (withLro ? [({ results }) => client.extract({ file_path: fileIn(results.at(-1)), ...question })] : []);

const readBack = ({ results }) => [
  client.read(savedIn(results.at(-1))),
  client.shell(`grep -o 'issue number 50. of' ${savedIn(results.at(-1))}`),
];

/** What the model calls: results of servers and commands, large and small, an error, files, and what follows from them. */
const steps = (world) => [
  client.mcp('list_issues', { count: withLro ? 300 : 1000 }),
  ...ask({ query: 'select(.id == 200)' }),
  ...(!withLro && client.read ? [readBack] : []),
  client.mcp('search_issues', { count: 100 }),
  ...ask({ where: ['state=open'], count: true }),
  client.mcp('list_issues', { count: 40 }),
  client.shell('cat some.json'),
  client.shell('cat few.json'),
  ...(withLro ? [({ results }) => client.shell(`tail -n +2 ${fileIn(results.at(-1))} | head -n 1`)] : []),
  client.mcp('search_issues', { count: 3 }),
  client.mcp('fail', { count: 3 }),
  client.shell('cat source.js | head -3'),
  client.shell('exit 3'),
  ...(client.read ? [client.read(join(world.project, 'few.json'))] : []),
  [client.shell('echo one'), client.shell('echo two')],
];

/** The transcript with neutral paths and ids. */
function neutral(text, home) {
  const numbers = new Map();
  const numbered = (id) => {
    if (!numbers.has(id)) numbers.set(id, String(numbers.size).padStart(12, '0'));
    return `00000000-0000-4000-8000-${numbers.get(id)}`;
  };
  const lines = text.split('\n').filter((line) => line && TELLS[name](JSON.parse(line)));
  return `${lines.join('\n')}\n`
    .replaceAll(home, 'HOME_FOLDER')
    .replaceAll(home.replaceAll('/', '-'), '-home')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered);
}

const ends = [];
const world = await begin({ after: (end) => ends.unshift(end) }, client);
world.write('project/some.json', JSON.stringify(issues(250)));
if (withLro) await world.lro('setup', client.name);
await world.converse(steps(world));

const root = world.path({ claude: '.claude/projects', codex: '.codex/sessions' }[name]);
const transcript = readdirSync(root, { recursive: true }).find((file) => file.endsWith('.jsonl'));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'session.jsonl'), neutral(readFileSync(join(root, transcript), 'utf8'), world.home));
const saved = join(root, dirname(transcript), basename(transcript, '.jsonl'), 'tool-results');
if (!withLro && existsSync(saved)) cpSync(saved, join(folder, 'tool-results'), { recursive: true });
if (withLro) {
  const offloaded = readdirSync(world.path('tmp')).find((file) => file.startsWith('lro-'));
  for (const file of readdirSync(world.path(join('tmp', offloaded)))) {
    // Copies that are kept do not expire.
    await world.lro('keep', world.path(join('tmp', offloaded, file)), '--to', world.path('kept'));
  }
  cpSync(world.path('kept'), join(folder, 'offloaded'), { recursive: true });
}
for (const end of ends) await end();
