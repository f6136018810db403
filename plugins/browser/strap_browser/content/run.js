// Runs `source` for `evaluate`, in the page's own world. A simple result comes back as JSON text;
// any other one is handed to `describe`, or kept for it to be asked for: it is seldom needed and
// takes time to send. `evaluated` calls `eval` outside of this function, so that no name of the
// source meets one of these.
async (source, element, evaluated, describe) => {
  let changes = 0,
    started = false,
    observer = null;
  const ways = [
    (s) => `__strap_start();${s}`,
    (s) => `__strap_start(),(${s}\n)`,
    (s) => `(async () => (__strap_start(),(${s}\n)))()`,
    (s) => `(async () => {__strap_start();${s}\n})()`,
  ];
  if (/^\s*(\{|function\b|async\s+function\b)/.test(source)) ways.unshift(ways[1]);
  const run = async () => {
    let first;
    for (const way of ways) {
      try {
        const value = evaluated(way(source), () => {
          started = true;
        });
        return typeof value === "function" ? await value(element) : await value;
      } catch (error) {
        if (started || !(error instanceof SyntaxError)) throw error;
        first = first || error;
      }
    }
    throw first;
  };
  const told = (value) => {
    if (value === undefined) return { result: "undefined" };
    const simple = value === null || typeof value === "boolean" || Number.isFinite(value);
    if (simple || (typeof value === "string" && value.length < 10000))
      return { result: JSON.stringify(value) };
    if (describe) return { result: describe(value) };
    Object.defineProperty(globalThis, "__strap_result", { value, configurable: true });
    return { kept: true };
  };
  const reason = (error) => {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
    try {
      return JSON.stringify(error) || String(error);
    } catch {
      return String(error);
    }
  };
  try {
    observer = new MutationObserver((records) => {
      changes += records.length;
    });
    observer.observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  } catch {}
  try {
    const answer = told(await run());
    return { ...answer, changes: changes + (observer ? observer.takeRecords().length : 0) };
  } catch (error) {
    return { thrown: reason(error).slice(0, 2000) };
  } finally {
    if (observer) observer.disconnect();
  }
};
