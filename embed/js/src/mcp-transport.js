// A transport in front of another one: answers to `tools/call` and `tools/list` go through the component on their way out.

import { failure as failed } from "./answers.js";

// JSON-RPC's code for parameters that make no sense, and for what went wrong inside.
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

export class OffloadingTransport {
  #inner;
  #conversation;
  #lro;
  #tell;

  onclose;
  onerror;
  onmessage;

  constructor(inner, conversation, { lro, tell, ended }) {
    this.#inner = inner;
    this.#conversation = conversation;
    this.#lro = lro;
    this.#tell = tell;
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

  get sessionId() {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version) {
    this.#inner.setProtocolVersion?.(version);
  }

  start() {
    return this.#inner.start();
  }

  close() {
    return this.#inner.close();
  }

  async send(message, options) {
    const expected = this.#conversation.fromServer(message);
    return this.#inner.send(expected ? await this.#rewritten(message, expected) : message, options);
  }

  #received(message, extra) {
    const ours = this.#conversation.fromClient(message, extra, this.sessionId);
    if (!ours) return this.onmessage?.(message, extra);
    this.#answered(message.id, ours).catch((error) => this.onerror?.(error));
  }

  async #answered(id, { name, callArguments }) {
    let answer;
    try {
      answer = { result: await this.#lro.mcpCall(name, callArguments) };
    } catch (error) {
      answer = { error: failure(error, INVALID_PARAMS) };
    }
    await this.#inner.send({ jsonrpc: "2.0", id, ...answer }, { relatedRequestId: id });
  }

  async #rewritten(message, { list, tool, callArguments }) {
    try {
      if (list) return withResult(message, await this.#lro.mcpOffloadTools(message.result));
      const { message: replaced, events } = await this.#lro.mcpOffloadResult(tool, callArguments, message.result);
      this.#tell(events);
      return withResult(message, replaced);
    } catch (error) {
      // A list with a tool of our name would hide one of the two: the developer has to choose.
      if (list) return { jsonrpc: "2.0", id: message.id, error: failure(error, INTERNAL_ERROR) };
      // Not a result that the component knows: the mistake of a tool, never of what it found.
      this.#tell([failed(error)]);
      return message;
    }
  }
}

function withResult(message, replaced) {
  return replaced === undefined ? message : { ...message, result: JSON.parse(replaced) };
}

function failure({ message, hint }, code) {
  return { code, message: [message, hint].filter(Boolean).join("; ") };
}
