// Which of our files the arguments of a call name: its limits grow with what it reads. What they mean, the component decides.

/** The arguments of our tools that mean a file, one in each family of names. */
const KEYS = ["file_path", "artifact_id", "filename"];

/** What may be names of our files in arguments, the text of JSON. */
const NAMES = /"(?:lro:\/\/)?([^"\\]+\.(?:jsonl|txt))"/g;

/** The file that a call of one of our tools names, or an empty text. In a conversation a bare name means a file of its folder. */
export function fileOf(callArguments, session) {
  const named = KEYS.map((key) => callArguments?.[key]).find((value) => typeof value === "string") ?? "";
  return session && named && !/[\\/]/.test(named) ? `${session}/${named}` : named;
}

/** The files that the arguments of any tool may refer to. */
export function filesIn(text) {
  return [...text.matchAll(NAMES)].map(([, file]) => file);
}
