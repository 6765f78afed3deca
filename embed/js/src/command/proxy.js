// `proxy`: any MCP server over standard input and output, with its large results offloaded.

import { randomName, Sessions } from "../mcp-sessions.js";
import { prepare } from "../output-directory.js";
import { Server } from "../proxy/child.js";
import { Conversation } from "../proxy/conversation.js";
import { Ending } from "../proxy/ending.js";
import { Lines } from "../proxy/lines.js";
import { Router } from "../proxy/router.js";
import { beforeSettings } from "../proxy/shortest.js";
import { isDeletedAtEnd } from "../session-end.js";
import { Events } from "./events.js";
import { Failure, report } from "./failure.js";
import { remark } from "./output.js";
import { EVENTS, OFFLOADING_FLAGS, SESSION_FLAGS, hasOtherSources, offloadingOptions } from "./settings.js";
import { Sink } from "./sink.js";
import { number } from "./values.js";

export const ABOUT = "Wrap any MCP server: offload its large results, and pass everything else through";

export const TRAILING = "command";

export const FLAGS = [
  ...OFFLOADING_FLAGS,
  ...SESSION_FLAGS,
  { name: "resolve-arguments", help: "Let the model hand results to other tools: lro://FILE in the arguments of a call is replaced by the data" },
  { name: "code-mode", help: "Leave all results alone: code calls the tools and expects rows. The extraction tools stay" },
  {
    name: "code-caller",
    key: "codeCallers",
    value: "NAME",
    repeats: true,
    help: "Leave results for this caller alone, by its name in clientInfo or by lro/caller in _meta; may be repeated",
  },
  { name: "announce", help: "Tell the server about the proxy, with `proxy: true` in clientInfo" },
  { name: "max-message", value: "BYTES", read: number, help: "Answer messages that are longer than this with an error [default: 67108864]" },
  EVENTS,
];

/** Servers that are not started here, and clients that are not on standard input. */
export const NATIVE_FLAGS = [
  "url", "url-env", "header", "header-env", "bearer-env", "sign-in", "sign-in-seconds", "sign-out", "no-sign-in", "no-browser", "oauth-client-id",
  "oauth-client-secret-env", "oauth-port", "oauth-scope", "server", "servers", "servers-wait", "listen", "listen-bearer-env",
  "listen-unprotected", "listen-sessions", "listen-idle", "allow-origin", "allow-host", "ledger", "store",
];

export const EXAMPLES = `
Examples:
  lro proxy -- npx -y @modelcontextprotocol/server-filesystem ~/projects
  lro proxy --output-dir ./results --tool read_file=never --tool list_issues=500 -- my-server --stdio

Results above the threshold are stored in files, and the client gets a short response instead, and the tools
lro_extract, lro_search, lro_read and lro_describe to read them. Everything else passes through byte for byte.
Remote servers (--url), several servers (--server) and HTTP (--listen) need the native command.`;

const MOST_MESSAGE_BYTES = 64 << 20;
const LEAST_MESSAGE_BYTES = 1024;

/** The specification's interval (LRO-34). */
const CLEANUP_MS = 3_600_000;

/** The files of a session may take this long to be deleted. */
const END_SESSION_MS = 100;

export async function run(flags) {
  const { maxMessage: mostBytes = MOST_MESSAGE_BYTES } = flags;
  if (mostBytes < LEAST_MESSAGE_BYTES) throw Failure.usage(`\`--max-message\` is at least ${LEAST_MESSAGE_BYTES}`);
  if (flags.codeMode && flags.codeCallers) throw Failure.usage("`--code-mode` leaves all results alone: leave out `--code-caller`");
  const options = optionsOf(flags);
  // A directory that cannot be written to is an error before the server starts.
  if (options.outputDir !== undefined) prepare(options.outputDir);
  const sessions = new Sessions(flags.session, flags.contextTokens !== undefined || hasOtherSources(options));
  const server = await Server.start(flags.command);
  return new Proxy(flags, options, server, sessions, mostBytes).ended;
}

function optionsOf(flags) {
  return {
    ...offloadingOptions(flags),
    call: flags.session === undefined ? undefined : { session: flags.session },
    resolveArguments: flags.resolveArguments,
    codeCallers: flags.codeMode ? ["*"] : flags.codeCallers,
  };
}

/** Our tools over the component, which is loaded while client and server begin to talk. */
async function open(options, events) {
  const [{ Lro }, { OurTools }] = await Promise.all([import("../index.js"), import("../proxy/our-tools.js")]);
  const lro = await Lro.open(options);
  const clean = () => lro.cleanup().then((cleaning) => events.reportCounted(cleaning.events), (error) => remark(error.message));
  setTimeout(clean, 1000).unref();
  setInterval(clean, CLEANUP_MS).unref();
  return OurTools.of(lro);
}

/** A client, a server, and what is between them. */
class Proxy {
  #flags;
  #server;
  #client;
  #events;
  #ending;
  #conversation;
  #clientWaits = true;
  #hasEnded;

  /** Resolves to the exit status. */
  ended = new Promise((resolve) => (this.#hasEnded = resolve));

  constructor(flags, options, server, sessions, mostBytes) {
    this.#flags = flags;
    this.#server = server;
    this.#events = new Events(flags.events);
    this.#client = new Sink(process.stdout, () => this.#clientHasGone());
    this.#ending = new Ending(server, () => void this.#leave());
    const opening = open(options, this.#events);
    opening.catch((error) => this.#unusable(error));
    const hasOthers = hasOtherSources(options);
    const router = new Router({
      announces: flags.announce,
      shortest: beforeSettings(options, hasOthers),
      resolves: flags.resolveArguments ?? (hasOthers ? undefined : false),
      sessions,
    });
    const session = flags.session ?? randomName();
    const conversation = new Conversation({ router, opening, sessions, session, server: this.#toServer(), client: this.#client, events: this.#events, mostBytes });
    this.#conversation = conversation;
    conversation.onHold = () => this.#flow();
    this.#client.onFlow = () => this.#flow();
    this.#listenToServer(mostBytes);
    this.#listenToClient(opening, mostBytes);
  }

  #toServer() {
    return { send: (line) => this.#server.send(line, () => process.stdin.resume()) };
  }

  #listenToServer(mostBytes) {
    const lines = new Lines(mostBytes, (line) => this.#conversation.serverSays(line), (outline) => this.#conversation.tooLong("server", outline));
    const ended = async () => {
      lines.end();
      this.#ending.serverIsSilent();
      await this.#conversation.serverHasEnded(this.#clientWaits);
      await this.#endSession();
      if (this.#server.status === undefined) await new Promise((resolve) => (this.#server.onExit = resolve));
      await this.#client.flushed();
      this.#exit(this.#server.status);
    };
    this.#server.listen((chunk) => lines.add(chunk), () => void ended());
  }

  #listenToClient(opening, mostBytes) {
    const take = (line) => this.#conversation.clientSays(line) || process.stdin.pause();
    const lines = new Lines(mostBytes, take, (outline) => this.#conversation.tooLong("client", outline));
    this.#conversation.onClientFree = () => process.stdin.resume();
    const ended = async () => {
      lines.end();
      await this.#conversation.clientIsSent();
      this.#clientWaits = false;
      this.#server.close();
      // What is pending may need the component: while it is loaded, nothing is hurried.
      await opening.catch(() => {});
      this.#ending.soon();
    };
    process.stdin.on("data", (chunk) => lines.add(chunk));
    process.stdin.once("end", () => void ended());
    // What cannot be read has ended.
    process.stdin.once("error", () => void ended());
  }

  /** The server waits while its client reads nothing, and while too much is worked on. */
  #flow() {
    if (this.#conversation.isHeld || this.#client.isFull) this.#server.pause();
    else this.#server.resume();
  }

  #clientHasGone() {
    this.#clientWaits = false;
    this.#server.close();
    this.#ending.soon();
  }

  /** The component cannot be opened. */
  #unusable(error) {
    const status = report(error, this.#flags.jsonErrors === true);
    this.#server.signal("SIGKILL");
    this.#exit(status);
  }

  /** Ends the process, whatever is not ready. */
  async #leave() {
    const open = this.#conversation.openAnswers;
    if (open > 0) remark(`${open} answers were not ready when the conversation ended`);
    this.#server.signal("SIGKILL");
    await Promise.race([this.#endSession(), new Promise((resolve) => setTimeout(resolve, END_SESSION_MS))]);
    this.#exit(this.#server.status ?? this.#ending.status ?? 0);
  }

  /** Deletes the session's files, if they end with it (GATE-18). */
  async #endSession() {
    const { session, sessionEnd } = this.#flags;
    const written = this.#conversation.sessionWithFiles;
    if (!written || !isDeletedAtEnd(session, sessionEnd)) return;
    const { events } = await written.lro.cleanup({ session: written.name, all: true }).catch(({ message }) => ({ events: [{ name: "CleanupFailed", message }] }));
    this.#events.report(events.filter(({ name }) => name !== "OffloadFileExpired"));
  }

  /** Workers and open streams would keep the process. */
  #exit(status) {
    this.#hasEnded(status);
    process.exit(status);
  }
}
