// The conversation between a client and a server: lines are forwarded at once, and what may have to be changed is worked on
// beside them, so that a large result holds nothing else up.
//
// The protocol asks for no order between answers to different requests. What belongs to one request keeps its order: its
// notifications are forwarded at once, and come before its answer.

import { randomName } from "../mcp-sessions.js";
import { textOf } from "../command/failure.js";
import { remark } from "../command/output.js";
import { failed, failedResult, response, withArguments } from "./envelope.js";
import { parsed, replaced, textAt } from "./json-text.js";
import { namesIn } from "./our-tools.js";
import { shortest } from "./shortest.js";

const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
/** JSON-RPC leaves these numbers to implementations. */
const TOO_LONG = -32000;
const SERVER_ENDED = -32001;

/** A result that the component could not handle is passed on up to this size: more would end the conversation. */
const MOST_UNHANDLED_BYTES = 400_000;

/** Messages that are worked on at once, beside their bytes: the server waits then. */
const MOST_JOBS = 64;

export class Conversation {
  #router;
  #ours;
  #opening;
  #sessions;
  #session;
  #server;
  #client;
  #events;
  #mostBytes;
  #jobs = new Set();
  #jobBytes = 0;
  #isHeld = false;
  #waiting = [];
  #isWaiting = false;
  #resolving = new Set();
  #half;
  #wrote = false;

  /** `opening`: the promise of our tools, `OurTools`. `client` takes lines, `server` too. */
  constructor({ router, opening, sessions, session = randomName(), server, client, events, mostBytes }) {
    this.#router = router;
    this.#opening = opening;
    this.#sessions = sessions;
    this.#session = session;
    this.#server = server;
    this.#client = client;
    this.#events = events;
    this.#mostBytes = mostBytes;
    opening.then((ours) => this.#opened(ours), () => {});
  }

  #opened(ours) {
    this.#ours = ours;
    const { settings } = ours.lro;
    this.#router.learn({ ourTools: ours.names, shortest: shortest(settings), resolves: settings.resolve_arguments === true });
    this.#goOn();
  }

  /** Takes a line of the client. Returns false while it should say nothing more. */
  clientSays(line) {
    if (this.#isWaiting) {
      this.#waiting.push(line);
      return false;
    }
    const decided = this.#router.clientSays(line);
    if (decided.undecided) {
      // What the client says after it waits too, so that the order stays.
      this.#isWaiting = true;
      this.#waiting.push(line);
      return false;
    }
    if (decided.answer) this.#work(line, () => this.#answer(decided.answer, decided.line));
    else if (decided.resolve) this.#resolve(decided.resolve, decided.line);
    else return this.#server.send(decided.line ?? line);
    return true;
  }

  #goOn() {
    this.#isWaiting = false;
    const waiting = this.#waiting.splice(0);
    for (const line of waiting) this.clientSays(line);
    if (!this.#isWaiting) this.onClientFree?.();
  }

  /** Resolves when all that the client has said has been sent or answered for. */
  async clientIsSent() {
    if (this.#isWaiting) await this.#opening.catch(() => {});
    await Promise.all(this.#resolving);
  }

  /** Takes a line of the server; one without an end is the last. */
  serverSays(line) {
    if (line[line.length - 1] !== 0x0a) return void (this.#half = line);
    this.#serverSays(line);
  }

  #serverSays(line) {
    const { look, passed } = this.#router.serverSays(line);
    if (look) return this.#work(line, () => this.#looked(line, look));
    if (passed) this.#count(passed.expected, () => textAt(line, passed.place));
    this.#client.send(line);
  }

  /** A message was too long: its sender hears of it if it is a request, the other side if it is an answer. */
  tooLong(from, outline) {
    const reason = `a message of the ${from} is longer than ${this.#mostBytes} bytes and was dropped; --max-message allows more`;
    remark(reason);
    const code = outline.isRequest ? INVALID_REQUEST : TOO_LONG;
    const isClients = (from === "client") === outline.isRequest;
    if (outline.id !== undefined && isClients) {
      this.#router.forget(outline.id);
      this.#client.send(failed(outline.id, code, reason));
    } else if (outline.id !== undefined) this.#server.send(failed(outline.id, code, reason));
    else if (from === "client") this.#client.send(failed("null", INVALID_REQUEST, reason));
  }

  /**
   * Nothing more comes from the server: what is worked on is sent, then half a line if there is one, and each request that is
   * open gets an error, if its client still waits.
   */
  async serverHasEnded(clientWaits) {
    while (this.#jobs.size > 0) await Promise.all(this.#jobs);
    const half = this.#half;
    this.#half = undefined;
    if (half) {
      this.#serverSays(half);
      while (this.#jobs.size > 0) await Promise.all(this.#jobs);
    }
    const open = clientWaits ? this.#router.unanswered.filter((id) => id !== undefined) : [];
    // Whatever follows half a line would become a part of it.
    if (half && open.length > 0) this.#client.send(Buffer.from("\n"));
    for (const id of open) {
      this.#router.forget(id);
      this.#client.send(failed(id, SERVER_ENDED, "the server ended before it answered"));
    }
  }

  /** True while too much is worked on. */
  get isHeld() {
    return this.#isHeld;
  }

  /** How many answers are not ready. */
  get openAnswers() {
    return this.#jobs.size;
  }

  /** The session, if files may have been written for it. */
  get sessionWithFiles() {
    return this.#wrote && this.#ours ? { lro: this.#ours.lro, name: this.#session } : undefined;
  }

  /** Works on a line, and sends what comes of it. */
  #work(line, work) {
    const job = (async () => {
      const sent = await work().catch((error) => {
        // The component cannot be opened, which ends the process.
        remark(textOf(error));
        return line;
      });
      if (sent) this.#client.send(sent);
    })();
    this.#jobs.add(job);
    this.#jobBytes += line.length;
    this.#hold();
    void job.finally(() => {
      this.#jobs.delete(job);
      this.#jobBytes -= line.length;
      this.#hold();
    });
  }

  /** The server waits while too much is worked on. */
  #hold() {
    const isHeld = this.#jobs.size >= MOST_JOBS || this.#jobBytes > 2 * this.#mostBytes;
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.onHold?.(isHeld);
  }

  async #lroFor({ session: _, said, ...call }) {
    const { lro } = await this.#opening;
    const { inputTokens } = this.#sessions.call(this.#session, said);
    const counts = lro.settings.context_tokens != null;
    return lro.forCall({ session: this.#session, ...(counts ? { inputTokens } : {}), ...this.#router.conversation.about(call) });
  }

  /** The answer of one of our tools. One that the component does not take for ours goes to the server (PROXY-04). */
  async #answer({ id, call }, line) {
    const lro = await this.#lroFor(call);
    try {
      const result = await lro.mcpCallText(call.tool, call.callArguments ?? {});
      this.#count(call, () => result);
      return response(id, result);
    } catch (error) {
      if (error.case === "invalid-argument") return void this.#server.send(line);
      return failed(id, INVALID_PARAMS, error.message);
    }
  }

  /** Sends a call to the server, its references replaced by the data; one whose references cannot be resolved gets an answer. */
  #resolve({ id, call, text }, line) {
    const resolved = (async () => {
      try {
        const lro = await this.#lroFor(call);
        const changed = await lro.mcpResolveArguments(call.tool, text);
        this.#server.send(changed === undefined ? line : withArguments(line, changed));
      } catch ({ message, hint }) {
        this.#router.forget(id);
        this.#client.send(response(id, failedResult({ resultType: "complete" }, [message, hint].filter(Boolean).join("\n"))));
      }
    })();
    this.#resolving.add(resolved);
    void resolved.finally(() => this.#resolving.delete(resolved));
  }

  /** A line of the server as the client should see it. */
  async #looked(line, { expected, place }) {
    return expected.list ? this.#listed(line, place, expected) : this.#offloaded(line, place, expected);
  }

  /** A list of tools with ours. */
  async #listed(line, place, expected) {
    const ours = await this.#opening;
    const list = line.subarray(...place);
    try {
      const kept = await ours.makeWay(list);
      this.#router.rename(ours.names);
      this.#router.conversation.listed(parsed(list.toString())?.tools);
      const lro = await this.#lroFor(expected);
      const changed = await lro.mcpOffloadTools(kept.toString());
      const shown = changed === undefined ? kept : Buffer.from(changed);
      if (namesIn(shown).some((name) => ours.names.includes(name))) ours.announce();
      return shown === list ? line : replaced(line, place, shown);
    } catch (error) {
      remark(`our tools are not added to the list of tools: ${textOf(error)}`);
      return line;
    }
  }

  /** The result of a tool as the client should see it. */
  async #offloaded(line, place, call) {
    const lro = await this.#lroFor(call);
    const result = textAt(line, place);
    const text = await this.#rewritten(lro, call, result);
    this.#count(call, () => text ?? result);
    return text === undefined ? line : replaced(line, place, text);
  }

  async #rewritten(lro, call, result) {
    let reason;
    try {
      const { message, fileName, events } = await lro.mcpOffloadResult(call.tool, call.callArguments, result);
      if (fileName !== undefined) this.#wrote = true;
      this.#events.report(events);
      if (message !== undefined) {
        this.#ours.announce();
        return message;
      }
      reason = events.find(({ name }) => name === "OffloadFailed")?.message;
    } catch (error) {
      reason = error.message;
      remark(`the result of \`${call.tool}\` cannot be offloaded: ${reason}`);
    }
    if (reason === undefined || result.length <= MOST_UNHANDLED_BYTES) return undefined;
    const told = `\`${call.tool}\` answered with ${result.length} bytes, which is too much to be passed on, and offloading them failed: ${reason}. Ask for less.`;
    return failedResult(parsed(result), told);
  }

  /** Counts a result that the model gets. */
  #count({ tool }, text) {
    if (tool !== undefined && this.#sessions.counts) this.#sessions.passed(this.#session, parsed(text()) ?? {});
  }
}

