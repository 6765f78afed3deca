// The command that continues where a cut page ended: the one that was typed, with the continuation.

/** The command line of this process, for a shell, with `--next TOKEN` in place of an earlier one. */
export function continuation(token, typed = process.argv.slice(2)) {
  const words = [];
  for (let place = 0; place < typed.length; place++) {
    if (typed[place] === "--next") place++;
    else if (!typed[place].startsWith("--next=")) words.push(typed[place]);
  }
  return ["lro", ...words, "--next", token].map(quoted).join(" ");
}

/** A word as a POSIX shell reads it: bare where that is safe. */
function quoted(word) {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
