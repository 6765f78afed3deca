// What an app in a chat says to its host, and what it hears: JSON-RPC in messages between windows (MCP Apps, SEP-1865).

/** The version of the extension that the app speaks. */
const VERSION = "2026-01-26";

export class Host {
  #window;
  #last = 0;
  #waiting = new Map();
  #hear;

  /** `hear(method, params)` is called for each notification. */
  constructor(window, hear) {
    [this.#window, this.#hear] = [window, hear];
    addEventListener("message", (event) => {
      // Nobody but the host is listened to.
      if (event.source === window && event.data?.jsonrpc === "2.0") this.#take(event.data);
    });
  }

  /** Says who the app is, and returns what the host says of itself. */
  async begin() {
    const appInfo = { name: "lro-table", version: "0.1.0" };
    const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
    const welcome = await this.request("ui/initialize", { appInfo, appCapabilities, protocolVersion: VERSION });
    this.notify("ui/notifications/initialized", {});
    return welcome;
  }

  request(method, params) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  #send(message) {
    // The host's origin is not known to an app; whatever the app says, its host has given it.
    this.#window.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #take({ id, method, params, result, error }) {
    if (method === undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    } else if (id === undefined) {
      this.#hear(method, params ?? {});
    } else if (method === "ping" || method === "ui/resource-teardown") {
      this.#send({ id, result: {} });
    } else {
      this.#send({ id, error: { code: -32601, message: `the table does not know ${method}` } });
    }
  }
}
