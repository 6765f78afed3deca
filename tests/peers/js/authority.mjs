// A real authorisation server (oidc-provider) and a server of MCP that wants its tokens, both on loopback.

import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import express from "express";
import { Provider } from "oidc-provider";

const SCOPES = ["tools:read", "tools:write"];

async function listening(app) {
  const server = await new Promise((resolve) => { const server = app.listen(0, "127.0.0.1", () => resolve(server)); });
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Serves both. `seconds`: how long tokens are good. `says`: what the person says. `clients`: those that are registered. */
export async function protectedServer(t, { seconds = 3600, says = "yes", clients = [] } = {}) {
  const front = express();
  const { server, origin } = await listening(front);
  t.after(() => { server.closeAllConnections(); server.close(); });
  const provider = authority(origin, seconds, clients);
  const app = express();
  const resource = await listening(app);
  t.after(() => { resource.server.closeAllConnections(); resource.server.close(); });
  const url = `${resource.origin}/mcp`;
  const state = { url, issuer: origin, provider, says, asked: [], tokens: new Set(), calls: [] };

  front.get("/interaction/:uid", (request, response, next) => interaction(state, request, response).catch(next));
  front.use((request, response, next) => { state.calls.push(`${request.method} ${request.path}`); next(); });
  front.use(provider.callback());

  const metadata = `${resource.origin}/.well-known/oauth-protected-resource/mcp`;
  app.get("/.well-known/oauth-protected-resource/mcp", (_request, response) => {
    response.json({ resource: url, authorization_servers: [origin], scopes_supported: ["tools:read"] });
  });
  const verifier = { verifyAccessToken: (token) => verified(state, token) };
  app.use("/mcp", requireBearerAuth({ verifier, requiredScopes: ["tools:read"], resourceMetadataUrl: metadata }));
  app.use("/mcp", express.json({ limit: "100mb" }));
  app.use("/mcp", (request, response, next) => {
    const isWrite = request.body?.params?.name === "write";
    if (!isWrite || request.auth.scopes.includes("tools:write")) return next();
    const challenge = `Bearer error="insufficient_scope", scope="tools:write", resource_metadata="${metadata}"`;
    response.set("WWW-Authenticate", challenge).status(403).json({ error: "insufficient_scope" });
  });
  app.use("/mcp", handler());
  return state;
}

function authority(issuer, seconds, clients) {
  const info = (resource) => ({
    scope: SCOPES.join(" "), audience: resource, accessTokenFormat: "opaque", accessTokenTTL: seconds,
  });
  const provider = new Provider(issuer, {
    clients,
    scopes: ["offline_access", ...SCOPES],
    cookies: { keys: [randomUUID()] },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: { AccessToken: seconds, Grant: 3600, Interaction: 600, RefreshToken: 3600, Session: 3600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: (_context, resource) => info(resource) },
      revocation: { enabled: true },
    },
  });
  return provider;
}

/** The person signs in and grants what is asked for, or does not. */
async function interaction(state, request, response) {
  const { prompt, params, session, grantId } = await state.provider.interactionDetails(request, response);
  const finish = (result) => state.provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  if (state.says !== "yes") return finish({ error: "access_denied", error_description: "the person says no" });
  if (prompt.name === "login") return finish({ login: { accountId: "alice" } });
  state.asked.push(params.scope);
  const { Grant } = state.provider;
  const grant = grantId ? await Grant.find(grantId) : new Grant({ accountId: session.accountId, clientId: params.client_id });
  if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(" "));
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(" "));
  }
  return finish({ consent: { grantId: await grant.save() } });
}

async function verified(state, value) {
  state.tokens.add(value);
  const token = await state.provider.AccessToken.find(value);
  if (!token?.isValid || token.aud !== state.url) throw new InvalidTokenError("not a token for this server");
  return { token: value, clientId: token.clientId, scopes: token.scope.split(" "), expiresAt: token.exp };
}

/** A server with a large result, a session for each `initialize`. */
function handler() {
  const sessions = new Map();
  return async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      const server = new McpServer({ name: "protected", version: "1.0.0" });
      const issues = JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, title: `Issue ${id}` })));
      server.registerTool("list_issues", {}, () => ({ content: [{ type: "text", text: issues }] }));
      server.registerTool("write", {}, () => ({ content: [{ type: "text", text: "written" }] }));
      await server.connect(transport);
    }
    await transport.handleRequest(request, response, request.body);
  };
}
