// An instance of the component, and the size of its memory.

/** `instantiate` is what jco has written, and `modules` are the compiled core modules by their names. */
export async function instantiated(instantiate, modules, imports) {
  let memory;
  const core = async (module, given) => {
    const started = await WebAssembly.instantiate(module, given);
    memory ??= started.exports.memory;
    return started;
  };
  const exports = await instantiate((name) => modules[name], imports, core);
  return { exports, bytes: () => memory.buffer.byteLength };
}
