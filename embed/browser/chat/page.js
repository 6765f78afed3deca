// A chat in the browser, for tests: it shows an app in a frame as chats do, with the bridge of the ext-apps package. Calls of
// the app's tools go to `callTool`, which the test gives.

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/** What a chat allows a page that asks for nothing of the network. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

globalThis.log = [];

/** Shows the page, and gives it what the model asked and what it got. */
globalThis.showApp = async ({ html, tool, input, result }) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = "width: 60rem; height: 40rem; border: 0";
  document.body.replaceChildren(frame);
  const hostContext = { ...(tool ? { toolInfo: { tool } } : {}), theme: "dark", styles: { variables: { "--color-text-primary": "#eeeeff" } } };
  const bridge = new AppBridge(null, { name: "chat", version: "1" }, { serverTools: {} }, { hostContext });
  bridge.oncalltool = async (params) => {
    globalThis.log.push(params);
    return globalThis.callTool(params);
  };
  bridge.onsizechange = (size) => (globalThis.size = size);
  const ready = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  await ready;
  globalThis.app = bridge.getAppVersion();
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
};
