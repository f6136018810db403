// For browsers that tell of WebSockets only once they are open: a document opens some to its own host
// alone. A policy that came with an element holds when that is gone.
(() => {
  const { host } = location;
  const policy = `connect-src http: https: data: blob: ws://${host} wss://${host}`;
  const bind = () => {
    const meta = document.createElement("meta");
    Object.assign(meta, { httpEquiv: "Content-Security-Policy", content: policy });
    document.head.append(meta);
    meta.remove();
  };
  if (document.head) bind();
  else
    new MutationObserver((_, seen) => {
      if (!document.head) return;
      seen.disconnect();
      bind();
    }).observe(document, { childList: true, subtree: true });
})();
