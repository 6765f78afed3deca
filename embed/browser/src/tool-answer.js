// What a tool of ours answers, as MCP has it: an object, or an error in words for whoever asked.

/** The object of a CallToolResult. An error of the tool is thrown, with what to do about it as `hint`. */
export function answerOf({ isError, content = [], structuredContent }) {
  const text = content[0]?.text ?? "";
  if (isError) {
    const [message, ...hint] = text.split(/\n|; /);
    throw Object.assign(new Error(message), { hint: hint.join("; ") });
  }
  return structuredContent ?? JSON.parse(text);
}
