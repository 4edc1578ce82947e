// A page of another origin, in headless Chromium, beside a page of tt-explorer that is open in the same browser:
// `node stranger.mjs ADDRESS COMMAND`, with the command as JSON. Prints as JSON what the stranger could read.

import { createServer } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(new URL("../report/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const [address, command] = process.argv.slice(2);

// What a page can have a browser send without asking the server first, and with its cookies; and what it can ask for.
const attack = async ([address, command]) => {
  const done = (element) => new Promise((resolve) => { element.onload = element.onerror = () => resolve(); });
  const sent = `${address}/apipost/v1/send_command`;
  const read = {};
  const picture = new Image();
  const shown = done(picture);
  picture.src = `${address}/api/v1/send_command?json=${encodeURIComponent(command)}`;
  await shown;
  const frame = Object.assign(document.createElement("iframe"), { name: "answer" });
  document.body.append(frame);
  const form = Object.assign(document.createElement("form"), { action: sent, method: "POST", enctype: "text/plain", target: "answer" });
  // A form's text has an "=": here within a name that nobody looks at.
  form.append(Object.assign(document.createElement("input"), { name: `${command.slice(0, -1)},"x":"`, value: '"}' }));
  document.body.append(form);
  const answered = done(frame);
  form.submit();
  await answered;
  const fetched = async (name, url, options) => {
    try {
      const answer = await fetch(url, options);
      read[name] = answer.type === "opaque" ? null : await answer.text();
    } catch {
      read[name] = null;
    }
  };
  await fetched("no-cors", sent, { method: "POST", mode: "no-cors", credentials: "include", body: command });
  await fetched("cors", sent, { method: "POST", mode: "cors", credentials: "include", body: command });
  await fetched("asks first", sent, { method: "POST", credentials: "include", body: command, headers: { "X-TT-Explorer-Token": "guessed" } });
  await fetched("token", `${address}/tt/api/token`, { credentials: "include" });
  await fetched("models", `${address}/tt/api/models`, { mode: "no-cors", credentials: "include" });
  return read;
};

const stranger = createServer((_, answer) => answer.writeHead(200, { "Content-Type": "text/html" }).end("<body></body>"));
await new Promise((resolve) => stranger.listen(0, resolve));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const seen = { read: [] };
try {
  const context = await browser.newContext();
  const own = await context.newPage();
  await own.goto(`${address}/tt`);
  seen.cookies = (await context.cookies(address)).map(({ sameSite, httpOnly }) => ({ sameSite, httpOnly }));
  seen.visible = await own.evaluate(() => document.cookie);
  // The same request as the stranger's, from a page of the server.
  seen.own = await own.evaluate(async (command) => (await fetch("/apipost/v1/send_command", { method: "POST", body: command })).status, command);
  // Another host, and another port of the same one: browsers send cookies to all ports.
  for (const host of ["127.0.0.1", "localhost"]) {
    const page = await context.newPage();
    await page.goto(`http://${host}:${stranger.address().port}/`);
    seen.read.push(await page.evaluate(attack, [address, command]));
  }
} finally {
  await browser.close();
  stranger.close();
}
console.log(JSON.stringify(seen));
