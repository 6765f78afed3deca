// Objects that models see keep the specification's snake_case; options and answers of calls are camelCase.

/** Where one list of a document went, or the whole result. Which members there are depends on the setting `descriptor`. */
export interface OffloadResponse {
  offloaded: true;
  /** The file, absolute; pass it to `extract` as `filePath`. */
  file_path: string;
  /** With "full" and "compact". */
  summary?: OffloadSummary;
  /** JSON Schema of a line, with "full". */
  line_schema?: Record<string, unknown>;
  /** With "full". */
  jq_recipes?: { description: string; command: string }[];
  /** With "full" and "compact". */
  guidance?: string;
  /** The fields of a record and the recipes, with "compact". */
  fields?: string;
  recipes?: string;
  /** With "bare". */
  count?: number;
  /** Further members of each descriptor, and if the result was not a plain list: `document`, `inline`, `sections`, `preview`. */
  [further: string]: unknown;
}

export interface OffloadSummary {
  count: number;
  estimated_tokens: number;
  operation: string;
  top_namespaces: string[];
  score_range: [number, number] | null;
  detail?: string;
  [further: string]: unknown;
}

export type Detail = "light" | "medium" | "full";

/** What a response says of an offloaded result. */
export type Descriptor = "full" | "compact" | "bare" | "envelope" | "message";

/** Settings for one tool. */
export interface ToolSettings {
  /** `auto`: above the threshold. `always`: every result that has records. */
  offload?: "auto" | "never" | "always";
  thresholdTokens?: number;
  /** Whether the results of this tool are memories. */
  memories?: boolean;
  /** Whether the tool keeps its output schema in lists of tools: for clients that do not validate results with it. */
  keepSchema?: boolean;
}

/** What a host knows about one call over MCP. */
export interface CallSettings {
  /** The conversation: the folder to which files go, and the only one that our tools can read. */
  session?: string | null;
  /** Tokens that the model has read so far. */
  inputTokens?: number | null;
  inputSchema?: Record<string, unknown> | null;
  /** The members `clientInfo` and `capabilities` of the client's request `initialize`. */
  client?: Record<string, unknown> | null;
  /** Who wants the result: `lro/caller` in the `_meta` of the request. */
  caller?: string | null;
}

/** Settings by the names of `wit/settings.schema.json`, in camelCase. An unknown setting is an error that names the known ones. */
export interface Settings {
  enabled?: boolean;
  /** Results above this many tokens are offloaded; 1600 if missing. */
  thresholdTokens?: number;
  /** Used instead of `thresholdTokens`; `estimate` then returns characters. */
  thresholdCharacters?: number | null;
  /** The prefix of variables that hold settings. */
  environmentPrefix?: string;
  /** The type in the header line of a file. */
  headerType?: string;
  /** Seconds after which a file may be deleted; 3600 if missing. */
  ttlSeconds?: number;
  /** The beginning of `file_path`, if people and models know the directory by another name. */
  publicDir?: string;
  /** A result that is not offloaded is truncated above so many tokens; 100,000 when missing. */
  maxInlineTokens?: number;
  profile?: "current" | "early" | "mcpagent";
  /** What happens to a result that is too large; "auto" when missing. */
  mode?: "auto" | "artifact" | "truncate";
  /** The context window of the model, in tokens; it switches on the gates. */
  contextTokens?: number | null;
  contextPercentage?: number;
  minThresholdBytes?: number;
  maxThresholdBytes?: number;
  headroomPercentage?: number;
  /** The last two count exactly, and need the component with the vocabularies: see `component`. */
  tokenizer?: "chars" | "mixed" | "o200k_base" | "cl100k_base";
  descriptor?: Descriptor | null;
  preview?: number;
  previewCharacters?: number | null;
  minSaving?: number | null;
  sourceThresholdTokens?: number | null;
  defaults?: "contract" | "agent";
  guidance?: "shell" | "tool";
  store?: "file" | "content";
  prefix?: string;
  maxFilterBytes?: number;
  maxFilterNesting?: number;
  maxRecordNesting?: number;
  maxPageResults?: number;
  maxPageBytes?: number;
  /** The most steps of an extraction. */
  maxSteps?: number | null;
  /** The most milliseconds that an extraction runs in the component. */
  maxMilliseconds?: number | null;
  /** The most memory of the component during an extraction, in MiB. */
  maxMemoryMib?: number | null;
  /** The largest document that a filter runs on. */
  maxDocumentBytes?: number;
  offerTools?: boolean;
  toolPrefix?: string;
  /** Which names and arguments our tools have. */
  toolNames?: "lro" | "artifact" | "large_output" | "unified";
  /** Whether references to our files in the arguments of other tools are replaced by the data. */
  resolveArguments?: boolean;
  /** The most bytes that all references in one call stand for; 1,048,576 when missing. */
  maxArgumentBytes?: number;
  /** Whether `lro_extract` asks clients to load it without a search; true when missing. */
  toolHints?: boolean;
  maxAnswerBytes?: number;
  /** Callers that are programs and no models, whose results stay as they are; `*` stands for all. */
  codeCallers?: string[];
  /** By the tool's name. */
  tools?: Record<string, ToolSettings>;
  /** What is known about one call over MCP; its values keep their own keys. */
  call?: CallSettings;
}

/** A key-value store: a `Keyv`, or an object with these of its methods. */
export interface KeyValueStore {
  get(key: string): Promise<unknown>;
  /** Stores a text or an object of JSON. The store deletes it after `ttl` milliseconds. */
  set(key: string, value: unknown, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Keyv tells its errors to those who listen. */
  on?(event: "error", listener: (error: unknown) => void): unknown;
}

export interface OpenOptions extends Omit<Settings, "store"> {
  /** Where results go: to files, back to the caller, or to a key-value store in place of `outputDir`. */
  store?: "file" | "content" | KeyValueStore;
  /** Milliseconds for each exchange with the store, and 1000 more for each 4 MiB that travel; 5000 if missing. */
  storeTimeoutMs?: number;
  /** Bytes of a part in the store, whose value has a third more; 262,144 if missing. */
  storePartBytes?: number;
  /**
   * The one directory that can be reached; created with mode 0700 if it is missing. Default: `lro-UID` below the
   * temporary directory, which only this user can enter.
   */
  outputDir?: string;
  /** TOML whose table `[prompt.offload]` is read. */
  settingsText?: string;
  /** Variables; only `ATLATL_PROMPT__OFFLOAD__*` are read. Pass `process.env` for those of this process. */
  environment?: Record<string, string | undefined>;
  /** Milliseconds that reading calls may run; 2000 and 1000 more for each 20 MB if missing. */
  timeoutMs?: number;
  /** Milliseconds that an offload may run before its result is truncated; 10,000 and 1000 more for each 20 MB if missing. */
  offloadTimeoutMs?: number;
  /** Threads of its own instead of those that all `Lro` of this process share. Only `Lro.open` reads it. */
  ownThreads?: boolean;
  /** The file of another component of the same version, such as `lro component --exact-tokens` writes. Only `Lro.open` reads it. */
  component?: string;
}

/** A result as its text, as any value, or as records. */
export type Result =
  | { payload: string; value?: undefined; /** Where the records are, as a jq path. */ records?: string }
  | { payload?: undefined; value: unknown; records?: string }
  | { payload?: undefined; value?: undefined; records: readonly unknown[] };

/** A recipe: a jq filter and what it does. It has a name, a description, or both. */
export interface Recipe {
  name?: string;
  description?: string;
  /** A jq filter on one line, run once for each record. */
  query: string;
  /** Run it once, on the array of all records. */
  slurp?: boolean;
  /** Print strings without quotes. */
  raw?: boolean;
  /** Variables of the filter, with the values that hold unless an extraction passes others. */
  params?: Record<string, unknown>;
}

/** What a response says of one list, in place of what is generated. */
export interface Section {
  /** What the list is about, or a function of the list that returns it. It is called only for a result that is too large. */
  summary?: string | object | ((list: any) => string | object | Promise<string | object>);
  /** The schema of a record. */
  schema?: object;
  /** Numbered from 1. */
  recipes?: readonly Recipe[];
}

export type OffloadRequest = Result & {
  /** The operation or tool that produced the result. */
  operation: string;
  query?: string | null;
  /** Project the records to this level; with `alreadyProjected`, only a label. */
  detail?: Detail;
  alreadyProjected?: boolean;
  /** Whether the records are memories; by default if and only if a detail is given. */
  memories?: boolean;
  scores?: readonly (number | null)[];
  /** The text to return if nothing is offloaded. */
  formatted?: string;
  tokens?: number;
  session?: string;
  preview?: number;
  previewCharacters?: number;
  /** What the response says. */
  descriptor?: Descriptor;
  /** Tokens that the model has read so far. */
  inputTokens?: number;
  /** What happens to the result if it is too large. */
  mode?: "auto" | "artifact" | "truncate";
  /** What the response says of the lists of the result, by their jq paths such as `.items`; `.` is the only list. */
  sections?: Record<string, Section>;
  schemaVersion?: string;
  /** Milliseconds for this call. */
  timeoutMs?: number;
};

/** Something worth a line in a log. */
export interface LroEvent {
  name: "OffloadWriteFailed" | "OffloadFileExpired" | "OffloadFailed" | "OffloadingUnavailable" | (string & {});
  message: string;
  fields: Record<string, unknown>;
}

interface Decided {
  /** What to return to the client. Empty for a result without a JSON form, which stays, as an event says. */
  text: string;
  /** What a function should return: the very value that was given if nothing was done, the response, or a text. */
  result: any;
  estimatedTokens: number;
  events: LroEvent[];
}

export type Offloading =
  | (Decided & { outcome: "unchanged" | "inline" | "truncated" })
  | (Decided & {
      outcome: "offloaded";
      response: OffloadResponse;
      /** Below the output directory. */
      fileName: string;
      /** With the setting `store: "content"`. */
      content?: string;
      /** Files of further lists. */
      sections: { fileName: string; content?: string }[];
    });

/** An offloaded file by its path or name, or its text. */
export type Source = { filePath: string; content?: undefined } | { content: string; filePath?: undefined };

export type Field = string | readonly string[];

export type Operator = "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "prefix" | "contains" | "matches" | "exists" | "in" | "between";

export type OperatorSign =
  "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "^=" | "~=" | "=~" | "!^=" | "!~=" | "!=~" | "!~";

export interface Condition {
  field: Field;
  op?: Operator | `not ${Operator}` | OperatorSign;
  value?: unknown;
}

/** A condition: a text (`state=open or priority=3..5`), its parts, alternatives, or what must not hold. */
export type Criterion =
  | string
  | Condition
  | { any: readonly Criterion[] }
  | { all: readonly Criterion[] }
  | { not: Criterion };

export type ExtractRequest = Source & {
  /** Exactly one of `recipe`, `query` and criteria (`where`, `select`, `count`, `groupBy`, `aggregate`, `perGroup`, `sortBy`), or a `line` alone. `where` also selects the records of a recipe or a query, and `sortBy` sorts those of a query. */
  recipe?: number;
  /** A jq filter, run once for each record, or on the document. */
  query?: string;
  /** What the filter runs on: each record, or the document that the records came in. Missing: the records, or the document if the filter begins with the path of a list that records do not have. */
  on?: "records" | "document";
  /** One criterion needs no list. */
  where?: string | readonly Criterion[];
  select?: string | readonly Field[];
  /** One result: how many records meet the conditions, or how many results the recipe or the query has. */
  count?: boolean;
  /** A field, several as `"state,user.name"`, or as a list of lists of keys. */
  groupBy?: Field | readonly (readonly string[])[];
  /** `sum(size)`, `avg(size)`, `min(size)`, `max(size)`, `count_distinct(user.id)`, `count`: of all, or of each group. */
  aggregate?: string | readonly string[];
  /** The first few records of each group instead. */
  perGroup?: number;
  sortBy?: string;
  params?: Record<string, unknown>;
  /** Run the query once, on the array of all records. */
  slurp?: boolean;
  /** `true`: `results` are lines, with strings without quotes and escapes. `null`: as the recipe does. Values if missing. */
  raw?: boolean | null;
  limit?: number;
  maxBytes?: number;
  chunkBytes?: number;
  next?: string;
  strict?: boolean;
  /** Put all results into a new offloaded file; its response is the only result. */
  into?: boolean;
  part?: { from?: number; until?: number };
  /** Read something beside the records instead: the path of a list, a map or a value in the document, such as `.relations`. */
  records?: string;
  /** Read only this line of the file: line 2 is the first record. One that is larger than a page is returned in pieces. */
  line?: number;
  /** How many lines to read from `line` on. */
  lines?: number;
  /** Milliseconds for this call. */
  timeoutMs?: number;
};

export interface Extraction<T = unknown> {
  /** The results as values. Those of numbers beyond 2^53 are rounded, as JavaScript has them: `text` is exact. */
  results: T[];
  /** The results as JSON Lines, with all digits of their numbers. */
  text: string;
  count: number;
  total?: number;
  truncated: boolean;
  /** Pass it back for the next page. */
  next?: string;
  failed: number;
  failures: { line: number; message: string; hint: string }[];
  remarks: string[];
}

export type ReadRequest = Source & {
  /** `"120-180"`, `"120-"` (to the end) or `120`. Line 1 is the first record, or the first line of a text. Everything if missing. */
  lines?: string | number;
  /** These characters instead. */
  characters?: string | number;
  /** Count the header as line 1, and read it too. */
  header?: boolean;
  /** How the text is returned; "raw" if missing. */
  encoding?: "raw" | "base64";
  /** At most this many bytes of the file on a page; never more than 262144. */
  maxBytes?: number;
  /** The `next` of the previous page; it carries the range. */
  next?: string;
  /** Milliseconds for this call. */
  timeoutMs?: number;
};

export interface Passage {
  /** The text with its line ends, or the base64 of its bytes. */
  text: string;
  /** The first line or character of it; 0 if there is none. */
  first: number;
  last: number;
  /** How many lines or characters there are in all, if that is known. */
  total?: number;
  truncated: boolean;
  /** Pass it back for the next page. */
  next?: string;
  remarks: string[];
}

export type SearchRequest = Source & {
  /** A regular expression in the syntax of RE2, matched against each line by itself. */
  pattern: string;
  ignoreCase?: boolean;
  /** Take the pattern for a plain text. */
  literal?: boolean;
  /** So many lines before and after each hit, at most 20; 2 if missing. */
  context?: number;
  before?: number;
  after?: number;
  /** At most this many hits on a page, and never more than 50. */
  limit?: number;
  maxBytes?: number;
  /** Count the header as line 1, and search it too. */
  header?: boolean;
  next?: string;
  /** Only the lines that begin in this range of bytes of the file. */
  part?: { from?: number; until?: number };
  /** What the parts before it have for this page. */
  soFar?: { lines?: number; shown?: number; hits?: number; total?: number };
  /** Milliseconds for this call. */
  timeoutMs?: number;
};

export interface Hit {
  line: number;
  /** The character of the line at which the match begins, and how many match. */
  character: number;
  length: number;
  /** The line, or at most 400 characters around the match. */
  text: string;
  /** The character of the line with which `text` begins. */
  start: number;
  before: string[];
  after: string[];
}

export interface Findings {
  hits: Hit[];
  /** How many hits there are in all, if the whole file has been searched. */
  total?: number;
  /** The number of lines; missing if there is a next page. */
  lines?: number;
  truncated: boolean;
  /** Pass it back for the next page. */
  next?: string;
  remarks: string[];
}

export interface CleanupRequest {
  /** Only the files of this session. Beside `all`, `maxFiles` and `maxBytes` a key without a name is refused: leave it out for all. */
  session?: string;
  ttlSeconds?: number;
  maxFiles?: number;
  maxBytes?: number;
  dryRun?: boolean;
  /** A purge: all files of ours go, whatever their age. With `session` and `dryRun` only. */
  all?: boolean;
  /** A sweep beside a write: opens only some of the files whose names are old. With `session` and `dryRun` only. */
  quick?: boolean;
}

export interface ListRequest {
  session?: string;
  /** At most this many files on a page. */
  limit?: number;
  /** The `next` of the page before. */
  next?: string;
  /** Whether the files are read for their checksums; true by default. */
  sha256?: boolean;
}

/** One page of the files, with the names of the contract. */
export interface Listing {
  files: ListedFile[];
  /** How many files have names of ours, on all pages. */
  total: number;
  next: string | null;
  /** Files on this page with a name of ours and other content. They are not listed. */
  foreign: number;
  /** Files that are being written, or whose writing was interrupted. They are not listed. */
  unfinished: number;
  remarks: string[];
}

export interface ListedFile {
  file_path: string;
  file_name: string;
  session: string | null;
  operation: string;
  count: number;
  bytes: number;
  estimated_tokens: number;
  created_at: string;
  /** Null for a file that was kept. */
  expires_at: string | null;
  expired: boolean;
  sha256: string | null;
}

/** What to copy so that a file outlives its session, with the names of the contract. */
export interface Copies {
  files: { file_name: string | null; header: string; header_bytes: number }[];
  /** Files of the document that are gone. */
  missing: string[];
}

export interface Cleaning {
  deleted: number;
  freedBytes: number;
  kept: number;
  events: LroEvent[];
}

export interface Description {
  kind: "memories" | "records" | "text";
  [further: string]: unknown;
}

/** A request without its result. */
export type WrapOptions = Omit<OffloadRequest, "payload" | "value" | "records" | "operation"> & {
  operation?: string;
  records?: string;
  /** Gets each event of an offload: the function's own value says nothing of them. */
  onEvent?: (event: LroEvent) => void;
};

/** A folder of its own for the files of a stretch of work. */
export interface Session {
  readonly name: string;
  offload(request: OffloadRequest): Promise<Offloading>;
  wrap: Lro["wrap"];
  extract<T = unknown>(request: ExtractRequest): Promise<Extraction<T>>;
  /** Deletes its files. */
  close(): Promise<Cleaning>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The component in a sandbox. Calls may run at the same time; none blocks the event loop while the component works. */
export class Lro {
  private constructor();

  /** Loads the component, resolves the settings and creates the output directory. */
  static open(options?: OpenOptions): Promise<Lro>;

  /** The same component with other options, without loading it again. Closing either closes both. */
  reopen(options?: OpenOptions): Promise<Lro>;

  /** The same for one call over MCP, with what is known of it, which replaces the setting `call`. Closing either closes both. */
  forCall(call: CallSettings): Lro;

  /** The same with these options changed. Closing either closes both. */
  with(changes: OpenOptions): Promise<Lro>;

  /** The output directory, canonical; undefined with a key-value store. */
  readonly outputDir: string | undefined;

  /** The settings as they were resolved, every key present, as `wit/settings.schema.json` names them. */
  readonly settings: Record<string, unknown>;

  /** Tokens of the records (characters with `thresholdCharacters`), for the request that `offload` would get. Touches no file. */
  estimate(request: OffloadRequest): Promise<number>;

  /**
   * Offloads a tool's result if it is above the threshold. Fails only for an invalid request. An offload that is stopped
   * returns a truncated result. A BigInt is an integer of JSON. What has no JSON form (a function, a Map, a value that holds
   * itself) stays, with the event `OffloadFailed`.
   */
  offload(request: OffloadRequest): Promise<Offloading>;

  /**
   * The function, with what it returns going through `offload`. It then returns its own value, which is the same object,
   * or the response. `operation` is the function's name if it is missing.
   */
  wrap<A extends any[], R>(fn: (...values: A) => R | Promise<R>, options?: WrapOptions): (...values: A) => Promise<R | OffloadResponse | string>;

  /**
   * A folder of its own for the files of a stretch of work, emptied when it is closed: `await using session = …`. What is not
   * the name of a folder is `invalid-argument`.
   */
  session(name: string): Session;

  /**
   * Calls a function with a session, and closes it at the end. Returns what the function returns, and throws what it throws: if
   * the end fails as well, that is a warning of the process (`LroWarning`).
   */
  withSession<T>(name: string, fn: (session: Session) => T | Promise<T>): Promise<T>;

  /** Runs a recipe, a jq filter or criteria over the records of an offloaded file: one page of results. */
  extract<T = unknown>(request: ExtractRequest): Promise<Extraction<T>>;

  /** The results of all pages. `limit` and `maxBytes` hold for all of them together. */
  extractAll<T = unknown>(request: ExtractRequest): AsyncGenerator<T, void, undefined>;

  /** Reads lines or characters of an offloaded file: one page of at most 200 lines and 256 KiB. */
  read(request: ReadRequest): Promise<Passage>;

  /** Searches the lines of an offloaded file for a regular expression: one page of at most 50 hits. */
  search(request: SearchRequest): Promise<Findings>;

  /** Describes a file: shape, fields with types and examples. */
  describe(source: Source): Promise<Description>;

  /** Restores the original document. */
  rebuild(source: Source): Promise<string>;

  /** Lists the offloaded files in the output directory and one folder below it, the newest first. */
  listFiles(request?: ListRequest): Promise<Listing>;

  /**
   * What to copy so that a file outlives its session: each file of its document, with the header of a copy that does not
   * expire. The copy of a file is this header, a newline, and what follows the first `header_bytes` bytes of the file.
   */
  copies(source: Source): Promise<Copies>;

  /** Deletes expired offloaded files in the output directory and one folder below it, and nothing else. With `all` a purge. */
  cleanup(request?: CleanupRequest): Promise<Cleaning>;

  /** Settings from a TOML file's text, variables and explicit values, every key present, as `wit/settings.schema.json` names it. */
  resolve(sources?: Settings & Pick<OpenOptions, "outputDir" | "settingsText" | "environment">): Promise<Record<string, unknown>>;

  /** The tools that the component offers, as MCP Tool objects. */
  mcpTools(): Promise<{ name: string; description?: string; inputSchema: object }[]>;

  /**
   * Executes a call of one of these tools and returns a CallToolResult. It has no structured content where numbers in it would
   * lose digits: its texts have all of them.
   */
  mcpCall(name: string, callArguments?: object): Promise<{ content: object[]; structuredContent?: object; isError?: boolean }>;

  /** The same as the JSON text of the result. */
  mcpCallText(name: string, callArguments?: object): Promise<string>;

  /** Offloads another tool's CallToolResult, an object or its text, if it is large. Returns the text to send instead, if there is one. */
  mcpOffloadResult(
    tool: string,
    callArguments: object | undefined,
    result: object | string,
  ): Promise<{ message?: string; fileName?: string; sectionFileNames: string[]; events: LroEvent[] }>;

  /** Changes the answer to `tools/list`. Returns the text to send instead, if there is one. */
  mcpOffloadTools(list: object | string): Promise<string | undefined>;

  /**
   * Replaces references to our files in the arguments of another tool, an object or its text, by the data that they mean.
   * Returns the text to send instead, if there is one. An error is to be answered with a result that has `isError`.
   */
  mcpResolveArguments(tool: string, callArguments?: object | string): Promise<string | undefined>;

  /** Lets the threads end soon, unless another `Lro` of this process uses them. The next call starts them again. */
  rest(): Promise<void>;

  /** Calls that have not been answered fail, and the threads end, unless another `Lro` of this process uses them. */
  close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void>;
}

export type LroErrorCase =
  | "invalid-argument"
  | "invalid-query"
  | "not-found"
  | "outside"
  | "not-an-offload"
  | "limit-reached"
  | "io"
  | "unusable"
  | "other";

/** Why a call failed; the texts are for people and models. */
export class LroError extends Error {
  readonly case: LroErrorCase;
  /** What to do about it; empty if there is nothing to add. */
  readonly hint: string;
  /** With an invalid query: names that exist and could have been meant. */
  readonly known?: string[];
  /** With a limit: its name, including its unit, and its value. */
  readonly limit?: string;
  readonly value?: number;
}
