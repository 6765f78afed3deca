import type { Lro, LroEvent, Offloading as Answer, OffloadRequest, OpenOptions } from "./index.js";

/** What is needed of an `McpServer` or a `Server` of the official SDK. */
export type OfficialServer =
  | { connect(transport: any): Promise<void>; server?: undefined }
  | { server: { connect(transport: any): Promise<void> } };

export interface OffloadingOptions extends OpenOptions {
  /** One that is open already, which many servers of a process share. */
  lro?: Lro;
  /** Clients can read files of this machine. When missing: over HTTP they cannot, otherwise they can. */
  sharedFileSystem?: boolean;
  /** How often expired files are deleted, beginning with the first connection; an hour when missing, 0 for never. */
  cleanupEveryMs?: number;
  /** Told what happens on the way, for a log. */
  onEvent?: (event: LroEvent) => void;
}

export interface LargeResults {
  /** Undefined where the component or the output directory cannot be used: nothing is offloaded then. */
  readonly lro?: Lro;
  /**
   * For a tool that decides by itself, for instance before it makes a cursor: like `lro.offload`, and nothing is offloaded
   * for a client that gets full results. `extra` is what the SDK hands to the tool.
   */
  offload(request: OffloadRequest, extra?: { requestId?: string | number; sessionId?: string }): Promise<Answer>;
  /** Ends cleaning up, and closes `lro` unless it was given. The threads also end when the server's connections have. */
  close(): Promise<void>;
}

/** Call it before `server.connect`: large results go to files, our tools are listed and answered. */
export function offloadLargeResults(server: OfficialServer, options?: OffloadingOptions): Promise<LargeResults>;
