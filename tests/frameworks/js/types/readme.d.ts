// What the README's examples take for granted.

declare const model: import("ai").LanguageModel;
declare const messages: import("ai").ModelMessage[];
declare const myTools: import("ai").ToolSet;
declare const myLangChainTools: import("langchain").StructuredTool[];
declare const myAgentTools: import("@openai/agents").Tool[];
declare const myServers: Record<string, import("@anthropic-ai/claude-agent-sdk").McpServerConfig>;
declare const filesServer: import("@openai/agents").MCPServer;
declare function answerOf(name: string, input: object): Promise<unknown>;
declare function sendToModel(text: string): void;
declare function makeServer(): import("@modelcontextprotocol/server").McpServer;
