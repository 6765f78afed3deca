// The length up to which the text of a message cannot contain a result that is offloaded. This shortcut is the one rule about
// thresholds outside the component, which decides about all longer ones (decision 113).

/** The component's defaults (LRO-05, READ-20). */
const THRESHOLD_TOKENS = 1600;
const MAX_INLINE_TOKENS = 100_000;

/** For the time before the component has resolved the settings: if a file or a variable may have set something, nothing is short. */
export function beforeSettings(options, hasOthers) {
  if (hasOthers || options.profile !== undefined) return () => 0;
  const tools = Object.entries(options.tools ?? {}).map(([name, { offload, thresholdTokens }]) => [name, { offload, threshold_tokens: thresholdTokens }]);
  return shortest({
    threshold_tokens: options.thresholdTokens ?? THRESHOLD_TOKENS,
    tokenizer: options.tokenizer ?? "chars",
    context_tokens: options.contextTokens,
    tools: Object.fromEntries(tools),
  });
}

/** The length for a tool by its name, by the settings as the component has them. */
export function shortest(settings) {
  // A character has one byte at least, and `chars` makes a token of four; no tokenizer makes two of a byte.
  const bytesOfToken = settings.tokenizer === "chars" ? 4 : 1;
  const window = settings.context_tokens ?? undefined;
  // More is never passed on, nor more than a window holds. With a window, the gates look at whatever is not below the floor.
  const most = 4 * Math.min(settings.max_inline_tokens ?? MAX_INLINE_TOKENS, window ?? Infinity);
  const floor = window === undefined ? Infinity : (settings.min_threshold_bytes ?? 0);
  const gated = (bytes) => Math.min(bytes, floor, most);
  const general = gated(window === undefined ? (settings.threshold_characters ?? bytesOfToken * settings.threshold_tokens) : Infinity);
  const own = (tool) => {
    if (tool.offload === "always") return 0;
    if (tool.offload === "never") return most;
    return typeof tool.threshold_tokens === "number" ? gated(bytesOfToken * tool.threshold_tokens) : general;
  };
  return (name) => (Object.hasOwn(settings.tools ?? {}, name) ? own(settings.tools[name]) : general);
}
