// Records of issues, for tests; the third has a hostile title.

const HOSTILE = `<img src=x onerror="parent.document.title='taken'"><script>parent.postMessage({jsonrpc:"2.0",id:1,method:"tools/call"},"*")</script>\u202etxt`;

export function issues(count) {
  const title = (at) => (at === 2 ? HOSTILE : `Issue ${at} of the cache`);
  return Array.from({ length: count }, (_, at) => ({ id: at + 1, title: title(at), state: at % 3 === 0 ? "open" : "closed", size: (at * 7919) % 1009 }));
}
