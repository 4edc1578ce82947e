// What is typed into the search of the site, before the search's own language reads it: there, a minus excludes a word and
// the parts of a dotted name count alike. Here, --report is an option, and ttl.math.exp or cb_reserve_back is a
// name, which a heading that has it documents.
(() => {
  const QUERY = 2; // the type of message that asks the worker
  const named = (word) => {
    const parts = word.match(/\w+/g);
    const last = parts.pop();
    return [...parts.map((part) => `title:${part}^5`), `title:${last}^100`, `text:${last}`];
  };
  const typed = (text) =>
    text
      .split(/\s+/)
      .map((word) => word.replace(/^-+(?=\w)/, ""))
      .flatMap((word) => (/\w[._]\w/.test(word) ? named(word) : word))
      .join(" ");

  window.Worker = class extends window.Worker {
    postMessage(message, ...rest) {
      super.postMessage(message?.type === QUERY ? { ...message, data: typed(message.data) } : message, ...rest);
    }
  };
})();
