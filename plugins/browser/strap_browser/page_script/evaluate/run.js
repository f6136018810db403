// Runs `source` for `evaluate`, in the page's own world. A simple result comes back as JSON text;
// any other one is handed to `describe`, or kept for it to be asked for: it is seldom needed and
// takes time to send. `evaluated` calls `eval` outside of this module, so that no name of the
// source meets one of these.
const LONG = 10_000; // characters of a text that is sent at once
const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };
const WAYS = [
  (source) => `__strap_start();${source}`,
  (source) => `__strap_start(),(${source}\n)`,
  (source) => `(async () => (__strap_start(),(${source}\n)))()`,
  (source) => `(async () => {__strap_start();${source}\n})()`,
];
// As statements, an expression, one that awaits, or statements that return: what parses first.
const evaluate = async (source, element, evaluated) => {
  const ways = /^\s*(\{|function\b|async\s+function\b)/.test(source) ? [WAYS[1], ...WAYS] : WAYS;
  let [first, started] = [null, false];
  const start = () => {
    started = true;
  };
  for (const way of ways) {
    try {
      const value = evaluated(way(source), start);
      return typeof value === "function" ? await value(element) : await value;
    } catch (error) {
      if (started || !(error instanceof SyntaxError)) throw error;
      first ||= error;
    }
  }
  throw first;
};
const answer = (value, describe) => {
  if (value === undefined) return { result: "undefined" };
  const simple = value === null || typeof value === "boolean" || Number.isFinite(value);
  if (simple || (typeof value === "string" && value.length < LONG))
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
export const run = async (source, element, evaluated, describe) => {
  let changes = 0;
  let observer = null;
  try {
    observer = new MutationObserver((records) => {
      changes += records.length;
    });
    observer.observe(document, EVERYTHING);
  } catch {}
  try {
    const answered = answer(await evaluate(source, element, evaluated), describe);
    return { ...answered, changes: changes + (observer?.takeRecords().length ?? 0) };
  } catch (error) {
    return { thrown: reason(error).slice(0, 2000) };
  } finally {
    observer?.disconnect();
  }
};
