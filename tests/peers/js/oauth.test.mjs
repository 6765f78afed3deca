// Signing in to a remote server, with a real authorisation server and a scripted browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { protectedServer } from "./authority.mjs";
import { folder, proxied } from "./peers.mjs";

const lro = process.env.LRO;
const BROWSER = `${process.execPath} ${join(import.meta.dirname, "browser.mjs")}`;

/** A user: a state folder, a browser and its log. */
function user(t) {
  const home = folder(t);
  const log = join(home, "browser.log");
  const env = { ...process.env, LRO_STATE_DIR: join(home, "state"), BROWSER, LRO_TEST_BROWSER_LOG: log };
  return {
    home, env, output: [],
    visits: () => existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map((line) => new URL(line)) : [],
    files: () => readdirSync(join(home, "state", "oauth")).filter((name) => name.endsWith(".json"))
      .map((name) => join(home, "state", "oauth", name)),
    kept() { return JSON.parse(readFileSync(this.files()[0], "utf8")); },
  };
}

/** A client behind the proxy, or behind another command. */
async function connected(t, user, url, flags = [], cheat = "", words = undefined) {
  const [command, ...args] = words ?? [lro, "proxy", "--output-dir", join(user.home, "results"), ...flags, "--url", url];
  const client = new Client({ name: "lro-peers", version: "1.0.0" });
  const env = { ...user.env, LRO_TEST_BROWSER: cheat };
  const transport = new StdioClientTransport({ command, args, stderr: "pipe", env });
  transport.stderr.on("data", (text) => user.output.push(String(text)));
  t.after(() => client.close());
  await client.connect(transport);
  return client;
}

async function command(user, ...args) {
  const child = spawn(lro, ["proxy", ...args], { env: user.env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => { text += chunk; });
  const status = await new Promise((resolve) => child.on("close", resolve));
  return { status, text };
}

const count = async (client) => (await client.callTool({ name: "list_issues" })).structuredContent.summary.count;

/** The scopes of a grant, without order. */
const sorted = (scope) => scope.split(" ").sort().join(" ");

test("the first call signs in, and the second start uses what is kept", async (t) => {
  const [server, alice] = [await protectedServer(t), user(t)];
  const first = await connected(t, alice, server.url);
  assert.equal(await count(first), 1000);
  await first.close();
  const [visit] = alice.visits();
  assert.equal(visit.searchParams.get("resource"), server.url);
  assert.equal(visit.searchParams.get("code_challenge_method"), "S256");
  assert.equal(sorted(visit.searchParams.get("scope")), "offline_access tools:read");
  const [file] = alice.files();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  const second = await connected(t, alice, server.url);
  assert.equal(await count(second), 1000);
  assert.equal(alice.visits().length, 1);
  assert.equal(server.tokens.size, 1);
  const { tokens } = alice.kept();
  for (const secret of [tokens.access, tokens.refresh]) assert.ok(!alice.output.join("").includes(secret));
});

test("a token that has expired is refreshed, and so is one that the server refuses", async (t) => {
  // The clock of the authorisation server counts whole seconds: a token for one second may be good for none.
  const [server, alice] = [await protectedServer(t, { seconds: 3 }), user(t)];
  const client = await connected(t, alice, server.url);
  const before = alice.kept().tokens.access;
  await new Promise((resolve) => setTimeout(resolve, 3500));
  assert.equal(await count(client), 1000);
  assert.notEqual(alice.kept().tokens.access, before);
  await client.close();

  const lasting = await protectedServer(t);
  const bob = user(t);
  const other = await connected(t, bob, lasting.url);
  const refused = bob.kept().tokens.access;
  await (await lasting.provider.AccessToken.find(refused)).destroy();
  assert.equal(await count(other), 1000);
  assert.notEqual(bob.kept().tokens.access, refused);
  assert.deepEqual([alice.visits().length, bob.visits().length], [1, 1]);
});

test("a person is asked again when everything has been revoked", async (t) => {
  const [server, alice] = [await protectedServer(t), user(t)];
  const client = await connected(t, alice, server.url);
  const token = await server.provider.AccessToken.find(alice.kept().tokens.access);
  await server.provider.RefreshToken.revokeByGrantId(token.grantId);
  await token.destroy();
  assert.equal(await count(client), 1000);
  assert.equal(alice.visits().length, 2);
});

test("a call that needs more scopes asks for them, and keeps those that there are", async (t) => {
  const [server, alice] = [await protectedServer(t), user(t)];
  const client = await connected(t, alice, server.url);
  const written = await client.callTool({ name: "write" });
  assert.equal(written.content[0].text, "written");
  assert.equal(sorted(alice.visits()[1].searchParams.get("scope")), "offline_access tools:read tools:write");
  assert.equal(await count(client), 1000);
  assert.equal(alice.visits().length, 2);
});

test("many requests and several processes at once open one window", async (t) => {
  const [server, alice] = [await protectedServer(t), user(t)];
  const clients = await Promise.all([1, 2, 3].map(() => connected(t, alice, server.url)));
  const counts = await Promise.all(clients.flatMap((client) => [1, 2, 3, 4].map(() => count(client))));
  assert.deepEqual([...new Set(counts)], [1000]);
  assert.equal(alice.visits().length, 1);
  // A refresh token is good for one use.
  const refused = await server.provider.AccessToken.find(alice.kept().tokens.access);
  await refused.destroy();
  await Promise.all(clients.flatMap((client) => [1, 2, 3, 4].map(() => count(client))));
  assert.equal(alice.visits().length, 1);
});

for (const [cheat, reason] of [
  ["state", "its state is not that of this sign-in"],
  ["issuer", "came back from another authorisation server"],
  ["no issuer", "came back without the name of its authorisation server"],
  ["asleep", "nobody has signed in in time"],
]) {
  test(`a sign-in with a browser that cheats (${cheat}) is refused`, async (t) => {
    const [server, alice] = [await protectedServer(t), user(t)];
    const refused = connected(t, alice, server.url, ["--sign-in-seconds", "3"], cheat);
    await assert.rejects(refused, (error) => error.message.includes(reason) && error.message.includes("--sign-in"));
    assert.deepEqual(alice.files(), []);
    assert.equal(server.tokens.size, 0);
  });
}

test("a person who says no is asked once", async (t) => {
  const [server, alice] = [await protectedServer(t, { says: "no" }), user(t)];
  const client = new Client({ name: "lro-peers", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: lro, args: ["proxy", "--url", server.url], env: alice.env, stderr: "ignore",
  });
  t.after(() => client.close());
  await assert.rejects(client.connect(transport), /refused: access_denied \(the person says no\)/);
  assert.equal(alice.visits().length, 1);
});

test("lro proxy signs in and out by itself", async (t) => {
  const [server, alice] = [await protectedServer(t), user(t)];
  const into = await command(alice, "--url", server.url, "--sign-in");
  assert.deepEqual([into.status, into.text.includes("signed in to")], [0, true], into.text);
  const { tokens } = alice.kept();
  const again = await command(alice, "--url", server.url, "--sign-in");
  assert.ok(again.status === 0 && again.text.includes("takes the token that is kept"), again.text);
  assert.equal(await count(await connected(t, alice, server.url)), 1000);
  const out = await command(alice, "--url", server.url, "--sign-out");
  assert.ok(out.status === 0 && out.text.includes("is deleted"), out.text);
  assert.deepEqual(alice.files(), []);
  assert.equal(await server.provider.RefreshToken.find(tokens.refresh), undefined);
  assert.equal(alice.visits().length, 1);
  for (const { text } of [into, again, out]) assert.ok(!text.includes(tokens.access) && !text.includes(tokens.refresh));
  const never = await command(alice, "--url", server.url, "--sign-out");
  assert.ok(never.status === 0 && never.text.includes("nothing is kept"), never.text);
});

test("a client that is registered already is used with its secret", async (t) => {
  const client_id = "registered";
  const client = {
    client_id, client_secret: "secret of the client", redirect_uris: ["http://127.0.0.1/callback"],
    application_type: "native", grant_types: ["authorization_code", "refresh_token"], response_types: ["code"],
    token_endpoint_auth_method: "client_secret_basic",
  };
  const [server, alice] = [await protectedServer(t, { clients: [client] }), user(t)];
  alice.env.SECRET_OF_CLIENT = client.client_secret;
  const flags = ["--oauth-client-id", client_id, "--oauth-client-secret-env", "SECRET_OF_CLIENT"];
  assert.equal(await count(await connected(t, alice, server.url, flags)), 1000);
  assert.equal(alice.visits()[0].searchParams.get("client_id"), client_id);
  assert.ok(!server.calls.includes("POST /reg"));
});

test("mcp-remote in between signs in too", async (t) => {
  const [server, alice] = [await protectedServer(t), user(t)];
  alice.env.MCP_REMOTE_CONFIG_DIR = join(alice.home, "mcp-remote");
  const manifest = createRequire(import.meta.url).resolve("mcp-remote/package.json");
  const remote = [process.execPath, join(dirname(manifest), "dist", "proxy.js"), server.url];
  const words = proxied(["--output-dir", join(alice.home, "results")], remote);
  assert.equal(await count(await connected(t, alice, server.url, [], "", words)), 1000);
  assert.equal(server.tokens.size, 1);
});
