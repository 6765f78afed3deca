// Real servers of stores for tests, and programs that listen on a port.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const MOST_MS = 60_000;

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A program, once it listens on a port. `kill` ends it as SIGKILL does. */
export async function started(command, values, port, options = {}) {
  const process = spawn(command, values.map(String), { stdio: ["ignore", "ignore", "inherit"], ...options });
  const failed = new Promise((_, reject) => process.on("error", reject));
  const ended = once(process, "exit");
  const kill = async () => {
    process.kill("SIGKILL");
    await ended;
  };
  await Promise.race([failed, listens(port, process)]);
  return { kill, port };
}

async function listens(port, process) {
  for (const until = Date.now() + MOST_MS; Date.now() < until; await wait(50)) {
    if (process.exitCode !== null) throw new Error(`${process.spawnfile} ended with ${process.exitCode}`);
    const client = connect(port, "127.0.0.1");
    const isOpen = await new Promise((resolve) => client.once("connect", () => resolve(true)).once("error", () => resolve(false)));
    client.destroy();
    if (isOpen) return;
  }
  throw new Error(`nobody listens on port ${port}`);
}

/** A `redis-server` that keeps everything in memory. */
export async function redisServer(...more) {
  const port = await freePort();
  const values = ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning", ...more];
  return { url: `redis://127.0.0.1:${port}`, ...(await started("redis-server", values, port)) };
}
