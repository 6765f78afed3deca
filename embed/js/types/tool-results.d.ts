import type { Lro, LroEvent, OpenOptions } from "./index.js";

export interface ToolResultsOptions<Context = any> extends Omit<OpenOptions, "contextTokens"> {
  /** An `Lro` that is open already, which many agents of a process can share. Settings beside it hold here alone. */
  lro?: Lro;
  /**
   * The folder of the agent's files, so that an agent that resumes finds them: 1 to 64 characters of A-Z, a-z, 0-9, _ and -.
   * Or what names that of a call by what the framework hands to a tool, for one agent in many conversations. A random name
   * if missing.
   */
  session?: string | ((context: Context) => string | undefined);
  /** What happens to the files of a session at the end: "keep" with the option `session`, else "delete". */
  sessionEnd?: "delete" | "keep";
  /**
   * The context window of the model: the gates decide instead of the threshold. "model" is what the framework says it is;
   * the threshold decides where it says nothing.
   */
  contextTokens?: number | "model" | null;
  /** Called with each event, for a log. That it fails is a warning of the process, and nothing else. */
  onEvent?: (event: LroEvent) => void;
}

/** What a framework knows of a call. */
export interface CallContext {
  /** What the framework hands to a tool: the option `session` may name the session by it. */
  context?: unknown;
  /** Tokens that the model has read so far. The results of the session are summed up if it is missing. */
  inputTokens?: number | undefined;
  /** The context window of the model; read with `contextTokens: "model"`. */
  contextTokens?: number | undefined;
}

export interface McpTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: { type: "object"; [further: string]: unknown };
  [further: string]: unknown;
}

export interface McpResult {
  content: { type: string; text?: string; [further: string]: unknown }[];
  structuredContent?: object;
  isError?: boolean;
}

/** Offloading for one agent, whatever its framework is. */
export class ToolResults {
  private constructor();

  /** One object for one agent: its files are in a folder of its own, which our tools do not leave. */
  static open(options?: ToolResultsOptions): Promise<ToolResults>;

  /** Undefined if the component or the output directory cannot be used: every result passes then. */
  readonly lro: Lro | undefined;

  /** Our tools, as MCP Tool objects. */
  readonly tools: McpTool[];

  /** True for a tool like ours, whatever stands before its name. Its answers pass. */
  isOurs(name: string): boolean;

  /** Fails if one of the names is that of a tool of ours. */
  checkNames(names: readonly string[]): void;

  /** Executes a call of one of our tools. A mistake is a result with `isError`, which the model reads. */
  call(name: string, callArguments?: object, about?: CallContext): Promise<McpResult>;

  /** The same as text; with `fails`, a mistake is an error. */
  callText(name: string, callArguments?: object, about?: CallContext, options?: { fails?: boolean }): Promise<string>;

  /**
   * What replaces the result of another tool in the same form (a text, parts of a message, a result of MCP, any value), or
   * the very result if it stays. It never fails. What has no JSON form stays, with an event.
   */
  offloadResult<R>(tool: string, callArguments: object | undefined, result: R, about?: CallContext): Promise<R>;

  /** Deletes the files of its sessions, unless they are kept. */
  end(): Promise<void>;

  /** The same, and closes `lro` unless it was given. Every result passes then. */
  close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void>;
}
