// What each client has to show, before and after it is set up.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { begin, SOURCE, succeeds } from './world.mjs';

/** The path of an offloaded file, as a response names it. */
const fileIn = (response) => {
  const path = /[^"\s\\]+\.jsonl\b/.exec(response)?.[0];
  assert.ok(path, `no file is named: ${response.slice(0, 400)}`);
  return path;
};

/** Large results of a client, each by the call that makes it. */
const largeCalls = (client, world) => ({
  list: client.mcp('list_issues', { count: 1000 }),
  structured: client.mcp('search_issues', { count: 1000 }),
  shell: client.shell('cat issues.json'),
  ...(client.fetch && { fetch: client.fetch(`${world.model.url}/issues.json`) }),
});

/** All cases for `client`. */
export function suite(client) {
  test(`${client.name} is version ${client.version}`, async (t) => {
    const world = await begin(t, client);
    const version = await succeeds(world.run(client.program, ['--version']));
    assert.match(version, new RegExp(`(^|\\s)${client.version.replaceAll('.', '\\.')}\\s`));
  });

  test('without LRO the client cuts large results itself', async (t) => {
    const world = await begin(t, client);
    const calls = largeCalls(client, world);
    const { results, tools } = await world.converse(Object.values(calls));
    for (const [index, name] of Object.keys(calls).entries()) {
      t.diagnostic(`${client.name} ${name}, without: ${results[index].length} characters`);
      assert.match(results[index], client.today[name], name);
      assert.doesNotMatch(results[index], /issue number 500 /, `${name}: the record in the middle is not shown`);
    }
    assert.ok(!tools.some((tool) => tool.includes('lro')));
  });
}
