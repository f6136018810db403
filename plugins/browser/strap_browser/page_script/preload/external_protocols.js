// Keeps a page from asking for other programs, as for telephone numbers: the browser would ask the
// user in a window of its own, which keeps every key and click from the page and which nobody sees.
(() => {
  const OPENED = /^(about|blob|chrome.*|data|file|filesystem|https?|javascript):/i;
  const { test } = RegExp.prototype;
  const call = Reflect.apply;
  navigation.addEventListener("navigate", (event) => {
    if (event.cancelable && !call(test, OPENED, [event.destination.url])) event.preventDefault();
  });
})();
