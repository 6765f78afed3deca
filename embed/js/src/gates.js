// What the resolved settings say of a result before the component has looked at it.

/** The tokens, or characters, up to which a result stays; undefined where the gates of a context window look at more. */
export function threshold({ threshold_tokens, threshold_characters, context_tokens }) {
  return context_tokens == null ? (threshold_characters ?? threshold_tokens) : undefined;
}

/** True for a text that is below every threshold, so that it can be passed on without the component. An empty one was not read. */
export function isSmall(text, settings) {
  // A character may be a token. It has three bytes at most.
  const most = threshold(settings) ?? settings.min_threshold_bytes / 3;
  return text.length > 0 && text.length <= most;
}
