/** The median of some runs in milliseconds; one more before them does not count. */
export async function median(work, runs) {
  const times = [];
  for (let run = 0; run <= runs; run++) {
    const start = performance.now();
    await work();
    if (run > 0) times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other)[times.length >> 1];
}
