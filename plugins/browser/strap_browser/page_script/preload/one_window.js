// For browsers that begin with a new window before anybody can decide on what it asks for: what would
// open one goes on in the page itself. It runs in the page's own world.
(() => {
  const SAME = /^_(self|parent|top)$/i;
  const frames = () => [...document.querySelectorAll("iframe, frame")];
  const inside = (name) =>
    SAME.test(name) || frames().some((frame) => frame.getAttribute("name") === name);
  const stay = (element) => {
    const named = element.target || document.querySelector("base[target]")?.getAttribute("target");
    if (named && !inside(named)) element.target = "_self";
  };
  window.open = (url) => {
    if (url) location.href = String(url);
    return null;
  };
  const bind = (prototype, name) => {
    const own = prototype[name];
    prototype[name] = function act() {
      if ("target" in this) stay(this);
      return own.call(this);
    };
  };
  bind(HTMLFormElement.prototype, "submit");
  bind(HTMLElement.prototype, "click");
  const onSubmit = ({ target, submitter }) => {
    stay(target);
    if (submitter?.formTarget && !inside(submitter.formTarget)) submitter.formTarget = "_self";
  };
  const onClick = (event) => {
    const link = event.composedPath().find((node) => node.matches?.("a[href], area[href]"));
    if (!link) return;
    stay(link);
    if (!(event.button || event.ctrlKey || event.metaKey || event.shiftKey)) return;
    event.preventDefault();
    location.href = link.href;
  };
  addEventListener("submit", onSubmit, true);
  addEventListener("click", onClick, true);
  addEventListener("auxclick", (event) => event.button === 1 && onClick(event), true);
})();
