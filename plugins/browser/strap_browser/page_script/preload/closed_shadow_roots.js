// Lets strap see into closed shadow roots: they are made open ones, and pages are told otherwise.
// It runs in the page's own world before any of its scripts; strap looks from another world.
(() => {
  const hosts = new WeakSet();
  const roots = new WeakSet();
  const attach = Element.prototype.attachShadow;
  const { get: rootOf } = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot");
  const { get: modeOf } = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "mode");
  const has = WeakSet.prototype.has;
  const call = Reflect.apply;
  const isClosed = (set, object) => call(has, set, [object]);
  const define = (prototype, name, get, hidden, set) => {
    const told = (target, object) => (isClosed(set, object) ? hidden : call(target, object, []));
    const proxy = new Proxy(get, { apply: (target, object) => told(target, object) });
    Object.defineProperty(prototype, name, { get: proxy, enumerable: true, configurable: true });
  };
  Element.prototype.attachShadow = new Proxy(attach, {
    apply(target, host, [options]) {
      if (options?.mode !== "closed") return call(target, host, [options]);
      const root = call(target, host, [{ ...options, mode: "open" }]);
      hosts.add(host);
      roots.add(root);
      return root;
    },
  });
  define(Element.prototype, "shadowRoot", rootOf, null, hosts);
  define(ShadowRoot.prototype, "mode", modeOf, "closed", roots);
})();
