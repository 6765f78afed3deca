// Events on their way to the program: what goes wrong there costs no result.

/** Calls `onEvent` with each event. It is a program's own, for a log: that it fails is said once, and nothing else comes of it. */
export function telling(onEvent) {
  let isSaid = false;
  const failed = (error) => {
    if (isSaid) return;
    isSaid = true;
    process.emitWarning(`onEvent failed, and results go on without it: ${error?.message ?? error}`, { type: "LroWarning", detail: error?.stack });
  };
  const tell = (event) => {
    try {
      // An asynchronous one fails later.
      onEvent?.(event)?.then?.(undefined, failed);
    } catch (error) {
      failed(error);
    }
  };
  return (events) => events.forEach(tell);
}
