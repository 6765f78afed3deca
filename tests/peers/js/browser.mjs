// A browser without a window: it follows redirects with cookies, from the URL in its last argument. `LRO_TEST_BROWSER` says
// how it cheats on the way back, and each visit is a line in the file `LRO_TEST_BROWSER_LOG`.

import { appendFileSync } from "node:fs";

const cheat = process.env.LRO_TEST_BROWSER ?? "";
appendFileSync(process.env.LRO_TEST_BROWSER_LOG, `${process.argv.at(-1)}\n`);
if (cheat === "asleep") process.exit();

const jars = new Map();
let url = new URL(process.argv.at(-1));
for (let steps = 0; steps < 20; steps++) {
  if (url.pathname === "/callback") {
    if (cheat === "state") url.searchParams.set("state", "another");
    if (cheat === "issuer") url.searchParams.set("iss", "https://evil.example");
    if (cheat === "no issuer") url.searchParams.delete("iss");
  }
  const jar = jars.get(url.origin) ?? jars.set(url.origin, new Map()).get(url.origin);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(url, { redirect: "manual", headers: { cookie } });
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
    if (value === "") jar.delete(name); else jar.set(name, value);
  }
  const next = response.headers.get("location");
  if (!next) break;
  url = new URL(next, url);
}
