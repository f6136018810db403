/** The parts of the extension, under the name that the tests import them by. */

const root = new URL(
  "../../../../../plugins/browser/strap_browser/chrome_extension/",
  import.meta.url,
);

/** Import one module of the extension. */
export function part(name) {
  return import(new URL(`${name}.js`, root));
}
