/** The modules of the page script that Node can run, with stand-ins for what a browser has. */

const root = new URL("../../../../../plugins/browser/strap_browser/page_script/", import.meta.url);
globalThis.document = {};
globalThis.Node = class {
  get childNodes() {
    return [];
  }
};
globalThis.Text = class extends Node {};

/** Import one module, by its path in the folder. */
export function part(path) {
  return import(new URL(`${path}.js`, root));
}
