import type { Lro, LroEvent, Offloading as Answer, OffloadRequest, OpenOptions } from "./index.js";

/** The part of an `McpServer` or a `Server` of the official SDK that is used, in its first or its second version. */
export type OfficialServer =
  | { connect(transport: any): Promise<void>; server?: undefined }
  | { server: { connect(transport: any): Promise<void> } };

/** What the official SDK says of a message. */
export interface RequestExtra {
  authInfo?: { clientId: string; extra?: Record<string, unknown> };
  /** The HTTP request, as the first version of the SDK has it. */
  requestInfo?: { headers: Record<string, string | string[] | undefined> };
  /** The HTTP request, as the second version has it. */
  request?: { headers: { get(name: string): string | null }; url: string };
  [further: string]: unknown;
}

export interface OffloadingOptions extends OpenOptions {
  /** An `Lro` that is open already, which many servers of a process can share. Settings beside it hold here alone. */
  lro?: Lro;
  /** Whether clients can read files of this machine. By default, clients over HTTP cannot, and others can. */
  sharedFileSystem?: boolean;
  /**
   * How often expired files are deleted, beginning with the first connection; an hour if missing, 0 for never. All servers
   * of a process with the same output directory share its sweeps.
   */
  cleanupEveryMs?: number;
  /**
   * The session of all conversations, so that a client that resumes finds its files: 1 to 64 characters of A-Z, a-z, 0-9,
   * _ and -. Or what names that of a request, for instance by `extra.authInfo`. By default each connection has one of its
   * own, with a random name, and requests over HTTP without a session have none.
   */
  session?: string | ((extra?: RequestExtra) => string | undefined);
  /** What happens to the files of a session when its last connection ends; "keep" with the option `session`, else "delete". */
  sessionEnd?: "delete" | "keep";
  /** Called with each event, for a log. That it fails is a warning of the process, and nothing else. */
  onEvent?: (event: LroEvent) => void;
}

/** What the SDK hands to a tool: its second version has the id of the request one level below. */
export interface ToolExtra {
  requestId?: string | number;
  sessionId?: string | undefined;
  mcpReq?: { id: string | number };
}

export interface LargeResults {
  /** Undefined if the component or the output directory cannot be used: nothing is offloaded then. */
  readonly lro?: Lro;
  /**
   * For a tool that decides by itself, for instance before it makes a cursor: like `lro.offload`, and nothing is offloaded
   * for a client that gets full results. `extra` is what the SDK hands to the tool.
   */
  offload(request: OffloadRequest, extra?: ToolExtra): Promise<Answer>;
  /** Lets the connections of another server go through the same offloading, before it connects. Returns the server. */
  attach<S extends OfficialServer>(server: S): S;
  /** Ends cleaning up, and closes `lro` unless it was given. The threads also end when the server's connections have. */
  close(): Promise<void>;
}

/** Call it before `server.connect`: large results go to files, and our tools are listed and executed. */
export function offloadLargeResults(server: OfficialServer, options?: OffloadingOptions): Promise<LargeResults>;

/**
 * One offloading for many servers, for instance those that a handler makes for each request:
 * `createMcpHandler(() => large.attach(makeServer()))`. Close it when the program ends.
 */
export function largeResults(options?: OffloadingOptions): Promise<LargeResults>;
