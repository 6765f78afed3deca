// A transport in front of another one: answers to `tools/call` and `tools/list` go through the component on their way out.

import { failure as failed } from "./answers.js";
import { resultOf } from "./exact.js";

// JSON-RPC's code for parameters that make no sense, and for what went wrong inside.
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

// What a server and its transport say to each other through us. All else is between them: the SDK's second version looks at
// the class of a transport, and at what it knows of the request.
const OURS = ["onclose", "onerror", "onmessage", "send"];

/** A transport as it is, with offloading in front of it. */
export function offloadingTransport(inner, conversation, offloading) {
  const front = new Front(inner, conversation, offloading);
  return new Proxy(inner, {
    get(_, key) {
      const owner = OURS.includes(key) ? front : inner;
      const value = owner[key];
      return typeof value === "function" && key !== "constructor" ? value.bind(owner) : value;
    },
    set(_, key, value) {
      (OURS.includes(key) ? front : inner)[key] = value;
      return true;
    },
  });
}

class Front {
  #inner;
  #conversation;
  #lro;
  #tell;
  #sessions;
  #within;
  #wrote;

  onclose;
  onerror;
  onmessage;

  constructor(inner, conversation, { lro, tell, sessions, within, wrote, ended }) {
    this.#inner = inner;
    this.#conversation = conversation;
    this.#lro = lro;
    this.#tell = tell;
    this.#sessions = sessions;
    this.#within = within;
    this.#wrote = wrote;
    const { onclose, onerror } = inner;
    inner.onclose = () => {
      ended();
      onclose?.();
      this.onclose?.();
    };
    inner.onerror = (error) => {
      onerror?.(error);
      this.onerror?.(error);
    };
    inner.onmessage = (message, extra) => this.#received(message, extra);
  }

  async send(message, options) {
    const expected = this.#conversation.fromServer(message);
    return this.#inner.send(expected ? await this.#rewritten(message, expected) : message, options);
  }

  #received(message, extra) {
    const answer = this.#answer(message, extra);
    if (answer) return this.#send(message.id, answer);
    const call = this.#lro.settings.resolve_arguments ? this.#conversation.referring(message) : undefined;
    if (!call) return this.#deliver(message, extra);
    const resolved = this.#resolved(message, call);
    resolved.then((whole) => this.#deliver(whole, extra), (error) => {
      this.#conversation.forget(message.id);
      this.#send(message.id, Promise.resolve({ result: refusal(error) }));
    });
  }

  #deliver(message, extra) {
    return this.#within(message.id, () => this.onmessage?.(message, extra));
  }

  #send(id, answer) {
    const send = (told) => this.#inner.send({ jsonrpc: "2.0", id, ...told }, { relatedRequestId: id });
    answer.then(send).catch((error) => this.onerror?.(error));
  }

  /** The component with what is known of a call. */
  #lroFor({ session, said, ...call }) {
    return this.#lro.forCall({ ...this.#sessions.call(session, said), ...this.#conversation.about(call) });
  }

  /** A call with the data in place of references to our files (USER-11). */
  async #resolved(message, call) {
    const text = await this.#lroFor(call).mcpResolveArguments(call.tool, call.callArguments);
    return text === undefined ? message : { ...message, params: { ...message.params, arguments: JSON.parse(text) } };
  }

  /** The answer to a call of one of our tools, and to a request whose session is not valid. */
  #answer(message, extra) {
    try {
      const ours = this.#conversation.fromClient(message, extra, this.#inner.sessionId);
      return ours && this.#answered(ours);
    } catch (error) {
      return Promise.resolve({ error: failure(error, INTERNAL_ERROR) });
    }
  }

  async #answered({ callArguments, ...call }) {
    try {
      const result = await this.#lroFor(call).mcpCall(call.tool, callArguments);
      this.#sessions.passed(call.session, result);
      return { result };
    } catch (error) {
      return { error: failure(error, INVALID_PARAMS) };
    }
  }

  async #rewritten(message, { list, callArguments, ...call }) {
    try {
      if (list) this.#conversation.listed(message.result.tools);
      const lro = this.#lroFor(call);
      if (list) return withResult(message, await lro.mcpOffloadTools(message.result));
      const { message: replaced, fileName, events } = await lro.mcpOffloadResult(call.tool, callArguments, message.result);
      if (fileName) this.#wrote(call.session);
      this.#tell(events);
      // A tool that keeps its schema has promised its structured content.
      const keeps = this.#lro.settings.tools?.[call.tool]?.keep_schema;
      const answer = withResult(message, replaced, keeps ? JSON.parse : resultOf);
      this.#sessions.passed(call.session, answer.result);
      return answer;
    } catch (error) {
      // A list with a tool of our name would hide one of the two: the developer has to choose.
      if (list) return { jsonrpc: "2.0", id: message.id, error: failure(error, INTERNAL_ERROR) };
      // Not a result that the component knows: the mistake of a tool, never of what it found.
      this.#tell([failed(error)]);
      return message;
    }
  }
}

function withResult(message, replaced, read = JSON.parse) {
  return replaced === undefined ? message : { ...message, result: read(replaced) };
}

/** The CallToolResult of a call whose references cannot be resolved: the server never sees it. */
function refusal({ message, hint }) {
  const text = [message, hint].filter(Boolean).join("\n");
  return { resultType: "complete", content: [{ type: "text", text }], isError: true };
}

function failure({ message, hint }, code) {
  return { code, message: [message, hint].filter(Boolean).join("; ") };
}
