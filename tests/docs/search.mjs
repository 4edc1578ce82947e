// What the search of the built site answers, by the scripts that its pages run: the one in front, and the Worker with lunr.
//   node search.mjs SITE < QUERIES
// Reads queries, one a line; prints a list for each as JSON: the places that are found, of each page the best, best page first.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const site = process.argv[2];
const read = (...parts) => fs.readFileSync(path.join(site, ...parts), "utf8");
const folder = ["assets", "javascripts", "workers"];
const script = fs.readdirSync(path.join(site, ...folder)).find((name) => /^search\..*\.js$/.test(name));

class Worker {
  constructor() {
    const scope = {
      console: { warn() {} },
      addEventListener: (_, listener) => (this.listener = listener),
      postMessage: (message) => (this.answer = message.data),
    };
    scope.self = scope;
    vm.runInNewContext(read(...folder, script), scope);
  }

  postMessage(message) {
    this.done = this.listener({ data: message });
  }
}

const window = { Worker };
vm.runInNewContext(read("assets", "site", "search-query.js"), { window });
const worker = new window.Worker();

async function ask(type, data) {
  worker.postMessage({ type, data });
  await worker.done;
  return worker.answer;
}

// The types of messages of the worker: 0 sets up, 2 is a query.
await ask(0, { ...JSON.parse(read("search", "search_index.json")), options: { suggest: false } });
const found = [];
for (const query of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { items } = await ask(2, query);
  found.push(items.map(([best]) => best.location));
}
console.log(JSON.stringify(found));
