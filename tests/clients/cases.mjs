// What each client has to show, before and after it is set up.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { begin, LRO, SOURCE, succeeds, tokens } from './world.mjs';

/** The path of an offloaded file, as a response names it. */
const fileIn = (response) => {
  const path = /[^"\s\\]+\.(jsonl|txt)\b/.exec(response)?.[0];
  assert.ok(path, `no file is named: ${response.slice(0, 400)}`);
  return path;
};

/** Large results: the call that makes each, and how many records it has. */
const large = (client, world) => ({
  list: [client.mcp('list_issues', { count: 1000 }), 1000],
  structured: [client.mcp('search_issues', { count: 1000 }), 1000],
  shell: [client.shell('cat issues.json'), 1000],
  ...(client.fetch && { fetch: [client.fetch(`${world.model.url}/issues.json`), 1000] }),
});

/** All cases for `client`: `others` are ways to set it up besides `lro setup`, by their names. */
export function suite(client, others = {}) {
  const ways = { 'lro setup': async (world) => void (await world.lro('setup', client.name)), ...others };

  test(`${client.name} is version ${client.version}`, async (t) => {
    const world = await begin(t, client);
    const version = await succeeds(world.run(client.program, ['--version']));
    assert.match(version, new RegExp(`(^|\\s)${client.version.replaceAll('.', '\\.')}\\s`));
  });

  test('without LRO the client cuts large results itself', async (t) => {
    const world = await begin(t, client);
    const calls = large(client, world);
    const { results, tools } = await world.converse(Object.values(calls).map(([call]) => call));
    for (const [index, name] of Object.keys(calls).entries()) {
      t.diagnostic(`${client.name}, ${name} without LRO: ${tokens(results[index])} tokens`);
      assert.match(results[index], client.today[name], name);
      assert.doesNotMatch(results[index], /issue number 500 /, `${name}: the record in the middle is not shown`);
    }
    assert.ok(!tools.some((tool) => tool.includes('lro')));
  });

  test('lro setup can be repeated, and undone byte for byte', async (t) => {
    const world = await begin(t, client);
    const original = filesIn(world.home);
    for (const flags of [[], ['--wrap']]) {
      await world.lro('setup', client.name, ...flags);
      const once = filesIn(world.home);
      assert.notDeepEqual(once, original);
      await world.lro('setup', client.name, ...flags);
      assert.deepEqual(filesIn(world.home), once);
      await world.lro('setup', client.name, ...flags, '--undo');
      assert.deepEqual(filesIn(world.home), original);
    }
    const { results, tools } = await world.converse([large(client, world).structured[0]]);
    assert.match(results[0], client.today.structured);
    assert.ok(!tools.some((tool) => tool.includes('lro')));
  });

  test('after lro setup, when lro is gone, all results pass', async (t) => {
    const world = await begin(t, client);
    const copy = world.path('lro');
    copyFileSync(LRO, copy);
    await succeeds(world.run(copy, ['setup', client.name]));
    rmSync(copy);
    const { results } = await world.converse([large(client, world).structured[0], client.shell('echo hello')]);
    assert.match(results[0], client.today.structured);
    assert.match(results[1], /hello/);
  });

  test('lro setup --wrap puts a proxy before the server', async (t) => {
    const world = await begin(t, client);
    await world.lro('setup', client.name, '--wrap');
    const { list, structured } = large(client, world);
    const steps = [list, structured].flatMap(([call, count]) => [
      call,
      ({ results }) =>
        client.mcp('lro_extract', { file_path: fileIn(results.at(-1)), query: `select(.id == ${count / 2})` }),
    ]);
    const { results, tools } = await world.converse([...steps, client.mcp('search_issues', { count: 2 })]);
    assert.ok(tools.includes(qualified(client.mcp('lro_extract'))), `lro_extract is among the tools: ${tools}`);
    for (const [index, result] of results.slice(0, 4).entries()) {
      assert.match(result, index % 2 ? /issue number 500 of/ : /"offloaded":true/);
    }
    assert.match(results[4], /issue number 0 of.*issue number 1 of/);
  });

  for (const [other, setUp] of Object.entries(others)) {
    test(`${other} beside lro setup: the model can ask the file`, async (t) => {
      const world = await begin(t, client);
      await world.lro('setup', client.name);
      await setUp(world);
      const [call, count] = large(client, world).structured;
      const { results } = await world.converse([
        call,
        ({ results }) => client.extract({ file_path: fileIn(results[0]), where: ['state=open'], count: true }),
      ]);
      assert.match(results[0], new RegExp(`"count":${count}\\b`));
      assert.match(results[1], /\b334\b/);
      // Both hooks see the client's result. Gemini CLI shows what both say.
      assert.equal(results[0].match(/"offloaded":true/g).length, client.joinsHooks ? 2 : 1);
    });
  }

  for (const [other, setUp] of Object.entries(others)) {
    test(`${other}: without the command lro all results pass`, async (t) => {
      const world = await begin(t, client);
      await setUp(world);
      world.loseLro();
      const { results } = await world.converse([large(client, world).structured[0], client.shell('echo hello')]);
      assert.match(results[0], client.today.structured);
      assert.match(results[1], /hello/);
    });
  }

  let before;
  for (const [way, setUp] of Object.entries(ways)) {
    test(`${way}: large results are responses, and lro_extract reads from their files`, async (t) => {
      const world = await begin(t, client);
      const { extract = client.extract } = (await setUp(world)) ?? {};
      const calls = Object.entries({ ...large(client, world), ...client.offloaded }).filter(([, made]) => made);
      // Each result is followed by a question about its file.
      const steps = calls.flatMap(([, [call, count]]) => [
        call,
        ({ results }) => extract({ file_path: fileIn(results.at(-1)), query: `select(.id == ${count / 2})` }),
      ]);
      const { results, tools } = await world.converse(steps);
      assert.ok(tools.includes(qualified(extract({}))), `lro_extract is among the tools: ${tools}`);
      for (const [index, [name, [, count]]] of calls.entries()) {
        const [response, answer] = results.slice(2 * index);
        t.diagnostic(`${client.name}, ${name} by ${way}: ${tokens(response)} tokens, and the answer ${tokens(answer)}`);
        assert.match(response, /"offloaded":true/, name);
        assert.match(response, new RegExp(`"count":${count}\\b`), name);
        assert.ok(response.length < 2500, `${name}: ${response}`);
        assert.match(answer, new RegExp(`issue number ${count / 2} of`), name);
        assert.doesNotMatch(answer, /issue number 1 of/, name);
      }
    });

    test(`${way}: results of calls at the same time have a file each`, async (t) => {
      const world = await begin(t, client);
      const { extract = client.extract } = (await setUp(world)) ?? {};
      const counts = [400, 500, 600];
      const { results } = await world.converse([
        counts.map((count) => client.mcp('search_issues', { count })),
        ({ results }) =>
          results.map((response) => extract({ file_path: fileIn(response), where: ['id>=0'], count: true })),
      ]);
      assert.deepEqual(results.slice(0, 3).map((response) => Number(/"count":(\d+)/.exec(response)[1])), counts);
      for (const [index, count] of counts.entries()) assert.match(results[3 + index], new RegExp(`\\b${count}\\b`));
    });

    test(`${way}: small results, errors and files that are edited pass as they are`, async (t) => {
      const world = await begin(t, client);
      await setUp(world);
      assert.deepEqual(await passing(client, world), await (before ??= passing(client, await begin(t, client))));
      if (client.edit) assert.equal(world.read('project/source.js'), SOURCE.replace(...EDIT));
    });
  }
}

/** What the model sees of results that stay as they are, in a file that it edits, too. */
async function passing(client, world) {
  const { results } = await world.converse([
    client.mcp('search_issues', { count: 3 }),
    client.mcp('fail', { count: 100 }),
    client.shell('cat source.js | head -3'),
    ...(client.tellsStatus ? [client.shell('cat issues.json >&2; exit 3')] : []),
    ...(client.read ? [client.read(join(world.project, 'source.js'))] : [client.shell('cat source.js')]),
    ...(client.edit ? [client.edit(join(world.project, 'source.js'), ...EDIT)] : []),
  ]);
  return results.map((result) => comparable(result, world));
}

/** A call's name as the list of tools has it. */
const qualified = ({ name, namespace }) => (namespace ? `${namespace}__${name}` : name);

const EDIT = ['constant100 = 100 * 2;', 'constant100 = 200;'];

/** A result without what differs between two runs of the same: the home, times, and numbers of processes. */
const comparable = (result, { home }) =>
  result
    .replaceAll(home, 'HOME')
    .replace(/tool_\w+|_\d{13}_|\w{8}-\w{4}-\w{4}-\w{4}-\w{12}/g, 'ID')
    // opencode cuts a command's output where a piece of it ended when it came.
    .replace(/^(\.\.\.output truncated\.\.\.\n\n.*\n)[^]*/, '$1')
    // Gemini CLI counts the number of the process at the end in what it cuts out.
    .replace(/\[[\d,]+ characters omitted\] \.\.\.\s+[^{]*/, '[characters omitted] ...')
    .replace(/Wall time: \S+ seconds/, 'Wall time')
    .replace(/Chunk ID: \w+/, 'Chunk ID')
    .replace(/(Process Group PGID|Background PIDs): [\d, ]+/g, '$1');

/** The files below a folder, by their names from there. Neither the cache nor temporary files. */
const filesIn = (folder) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.path, entry.name))
      .filter((path) => !/^\/(\.cache|tmp)\//.test(path.slice(folder.length)))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
