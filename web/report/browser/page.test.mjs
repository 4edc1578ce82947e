// The page in headless Chromium, as somebody who reads it. `npm run browser` runs this; tests/project/test_report_page.py does, too.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launched, opened, samples, written } from "./open.mjs";

const HOSTILE = "</script><img src=x onerror=alert(1)><b>${7*7}\u202e\"'`&amp;";

let browser;
let sample;
before(async () => {
  browser = await launched();
  sample = await samples();
});
after(() => browser?.close());

describe("a run of 64 nodes", () => {
  let view;
  before(async () => {
    view = await opened(browser, await written("test.html", sample.sampleReport({ slices: 60 })));
  });
  after(() => view?.context.close());

  const selected = () => view.page.locator(".inspector h3").innerText();
  const counts = () => view.page.evaluate(() => Object.fromEntries([[".map .cell.related", "nodes"], [".code.python .line.related", "lines"], [".code.cpp .line.related", "cpp"], [".buffers tr.related", "buffers"], [".pipes-drawing .pipe:not(.unrelated)", "pipes"], [".cards .card.related", "advice"], [".tabs .marked", "tabs"]].map(([css, name]) => [name, document.querySelectorAll(css).length])));
  const clear = async () => {
    await view.page.keyboard.press("Escape");
    await view.page.locator(".inspector.nothing").waitFor();
  };

  test("says first what to do first, then what was measured, and where the time goes", async () => {
    assert.match(await view.page.locator("h1").innerText(), /^Change first, at matmul_multicast.py:13: define read_b_and_write before read_a.*; saves about 900 of/);
    assert.match(await view.page.locator(".measured").innerText(), /^matmul: [\d,]+ cycles on 64 nodes of wormhole, bound by NoC$/);
    assert.match(await view.page.locator(".first-change").innerText(), /^because read_a reads over NoC 0/);
    assert.match(await view.page.locator(".path-bar").innerText(), /math \d+ %/);
  });

  test("the hottest lines come first, before the program, and can be pressed", async () => {
    const rows = view.page.locator(".hottest > div");
    assert.match(await rows.first().innerText(), /40 %\s+matmul_multicast.py:16\s+xf.wait\(\)/);
    const cycles = (await rows.locator("b").allInnerTexts()).map((text) => Number(text.split(" ")[0].replaceAll(",", "")));
    assert.deepEqual(cycles, [...cycles].sort((a, b) => b - a));
    assert.equal(cycles.length, 7);
    await rows.first().click();
    assert.equal(await selected(), "matmul_multicast.py:16");
    await clear();
  });

  test("the legend of the map never shows a node more than the run, whatever its colours show", async () => {
    const colours = view.page.locator("select[aria-label='What the colours show']");
    const run = Number((await view.page.locator(".measured").innerText()).match(/([\d,]+) cycles/)[1].replaceAll(",", ""));
    await view.page.locator(".code.python .line[data-line='22']").click();
    for (const metric of ["busy", "waits", "path", "selected"]) {
      await colours.selectOption(metric);
      const [, most, of] = (await view.page.locator(".map-legend .scale").innerText()).match(/([\d,]+) cycles of ([\d,]+)/).map((text) => Number(text.replaceAll(",", "")));
      assert.ok(most > 0 && most <= run && of === run, `${metric}: ${most} of ${of}, the run ${run}`);
    }
    await colours.selectOption("busy");
    await clear();
  });

  test("a line selects its slices, nodes, buffer, C++ and tabs", async () => {
    await view.page.locator(".code.python .line[data-line='21']").click();
    assert.equal(await selected(), "matmul_multicast.py:21");
    assert.deepEqual(await counts(), { nodes: 64, lines: 1, cpp: 1, buffers: 1, pipes: 0, advice: 0, tabs: 3 });
    assert.equal(await view.page.locator(".tabs-small button[aria-pressed='true']").nth(1).innerText(), "compute");
    await view.page.waitForFunction(() => location.hash === "#select=line:0:21");
    await clear();
  });

  test("a line of the C++ selects the line of the program", async () => {
    await view.page.locator(".tabs-small button", { hasText: "read_b_and_write" }).click();
    await view.page.locator(".code.cpp .line.linked").first().click();
    assert.equal(await selected(), "matmul_multicast.py:28");
    assert.equal(await view.page.locator(".code.python .line.chosen").getAttribute("data-line"), "28");
    await clear();
  });

  test("a node, by keyboard, shows its own cycles beside the lines and its pipes", async () => {
    await view.page.locator(".map .cell[aria-label^='node (2, 3)']").focus();
    await view.page.keyboard.press("Enter");
    assert.equal(await selected(), "node (2, 3)");
    assert.match(await view.page.locator(".columns-of").innerText(), /of node \(2, 3\)/);
    const state = await counts();
    assert.deepEqual([state.nodes, state.buffers, state.pipes], [1, 0, 1]);
    await clear();
  });

  test("the map is one tab stop: arrow keys go from node to node, and a press keeps the focus", async () => {
    const stops = (css) => view.page.locator(`${css} [tabindex="0"]`).count();
    assert.deepEqual([await stops(".map-drawing"), await stops(".hottest"), await stops(".path-bar"), await stops(".pipes-drawing")], [1, 1, 1, 1]);
    const focused = () => view.page.evaluate(() => document.activeElement.getAttribute("aria-label").split(",").slice(0, 2).join(","));
    await view.page.locator(".map .cell[aria-label^='node (2, 3)']").focus();
    const seen = [];
    for (const key of ["ArrowRight", "ArrowDown", "Enter", "ArrowLeft", "Home", "End", "Control+Home", "Shift+Tab", "Tab"]) {
      await view.page.keyboard.press(key);
      seen.push(await focused());
    }
    assert.deepEqual(seen.slice(0, 4), ["node (3, 3)", "node (3, 4)", "node (3, 4)", "node (2, 4)"]);
    assert.equal(seen[5], "node (7, 4)");
    assert.equal(seen.at(-1), seen[6]); // the stop is where the focus was
    assert.equal(await selected(), "node (3, 4)");
    const roles = await view.page.locator(".map-drawing").evaluate((grid) => [grid.getAttribute("role"), ...new Set([...grid.querySelectorAll("[tabindex]")].flatMap((cell) => [cell.parentElement.getAttribute("role"), cell.getAttribute("role")]))]);
    assert.deepEqual(roles, ["grid", "row", "gridcell"]);
    await clear();
  });

  test("what cycles are summed over stands beside them, and times are in µs", async () => {
    assert.match(await view.page.locator(".hottest-head").innerText(), /^Hottest lines: cycles of the critical path at each, of [\d,]+ in all$/);
    assert.match(await view.page.locator(".columns-of").innerText(), /^in cycles; busy and waits: mean of a node$/);
    assert.match(await view.page.locator(".map-legend .scale").innerText(), /mean of a node's processors/);
    assert.match(await view.page.locator(".inspector").innerText(), /[\d,]+ cycles, [\d.,]+ µs at/);
  });

  test("a DRAM bank, a resource, a buffer, a pipe and a piece of advice select in the others", async () => {
    await view.page.locator(".map .cell.dram[role='gridcell']").first().click();
    assert.equal(await selected(), "DRAM bank 0");
    assert.ok((await counts()).nodes > 8);
    await clear();
    await view.page.locator(".path-part", { hasText: "DRAM" }).click();
    assert.equal(await selected(), "DRAM on the critical path");
    assert.deepEqual([(await counts()).nodes, (await counts()).lines > 0], [1, true]);
    await clear();
    await view.page.keyboard.press("3");
    await view.page.locator(".buffers tbody tr").nth(1).click();
    assert.equal(await selected(), "buffer b_dfb");
    assert.deepEqual([(await counts()).nodes, (await counts()).lines], [64, 2]);
    assert.match(await view.page.locator(".buffers .caption").innerText(), /^b_dfb on node/);
    await clear();
    await view.page.keyboard.press("4");
    await view.page.locator(".pipes-drawing .pipe").nth(2).press("Enter");
    assert.equal(await selected(), "pipe of a_net");
    assert.deepEqual([(await counts()).nodes, (await counts()).pipes], [8, 1]);
    await clear();
    await view.page.keyboard.press("2");
    await view.page.locator(".cards .card").nth(1).click({ position: { x: 20, y: 12 } });
    assert.match(await selected(), /give a_dfb 3 blocks/);
    assert.ok((await counts()).lines >= 3 && (await counts()).buffers === 1);
    await clear();
    await view.page.keyboard.press("1");
  });

  test("a slice of the timeline selects its line; C follows what ended the wait, N and P go on", async () => {
    const timeline = view.page.locator(".timeline-scroller");
    await timeline.focus();
    await view.page.keyboard.press("n");
    await view.page.keyboard.press("n");
    assert.match(await selected(), /waits for/);
    const lines = (await counts()).lines;
    assert.equal(lines, 1);
    const box = await timeline.boundingBox();
    await view.page.mouse.click(box.x + box.width * 0.6, box.y + 30 + 20 + 22 + 20 + 17 * 3 + 8);
    assert.match(await selected(), /a_blk @ b_blk|waits for unpack/);
    await timeline.focus();
    if (!(await selected()).startsWith("waits")) await view.page.keyboard.press("n");
    await view.page.keyboard.press("c");
    assert.match(await selected(), /a_dfb/);
    await clear();
  });

  test("zoom by wheel, keys and a dragged stretch; the address keeps the stretch", async () => {
    const box = await view.page.locator(".timeline-scroller").boundingBox();
    await view.page.mouse.move(box.x + box.width / 2, box.y + 120);
    await view.page.keyboard.down("Control");
    await view.page.mouse.wheel(0, -300);
    await view.page.keyboard.up("Control");
    await view.page.waitForFunction(() => /^#time=[1-9]\d*-\d+$/.test(location.hash));
    const [begin, end] = (await view.page.evaluate(() => location.hash)).match(/\d+/g).map(Number);
    await view.page.mouse.move(box.x + 400, box.y + 40);
    await view.page.mouse.down();
    await view.page.mouse.move(box.x + 500, box.y + 40);
    await view.page.mouse.up();
    await view.page.waitForFunction((span) => { const [from, to] = location.hash.match(/\d+/g).map(Number); return to - from < span / 2; }, end - begin);
    await view.page.locator(".timeline-scroller").focus();
    await view.page.keyboard.press("0");
    await view.page.waitForFunction(() => location.hash === "");
  });

  test("launches can be chosen, help opens and closes, light turns to dark", async () => {
    const first = await view.page.locator(".measured").innerText();
    await view.page.locator(".top select").selectOption("1");
    await view.page.waitForFunction((text) => document.querySelector(".measured").textContent !== text, first);
    await view.page.keyboard.press("[");
    await view.page.waitForFunction((text) => document.querySelector(".measured").textContent === text, first);
    await view.page.keyboard.press("?");
    await view.page.locator(".help[open]").getByText("critical path").first().waitFor();
    await view.page.keyboard.press("Escape");
    await view.page.locator(".help[open]").waitFor({ state: "detached" });
    await view.page.getByText("light / dark").click();
    assert.equal(await view.page.evaluate(() => document.documentElement.dataset.theme), "dark");
  });

  test("nothing is said on the console, and nothing is asked of the network", () => {
    assert.deepEqual(view.problems, []);
    assert.equal(view.requests.length, 1);
    assert.match(view.requests[0], /^file:/);
  });
});

test("hostile names are text, in every view", async () => {
  const view = await opened(browser, await written("hostile.html", sample.sampleReport({ columns: 3, rows: 3, slices: 20, name: HOSTILE })), { fragment: "#select=buffer:0" });
  for (const key of ["1", "2", "3", "4", "5", "6"]) await view.page.keyboard.press(key);
  await view.page.locator(".cell[tabindex]").first().hover();
  await view.page.locator(".timeline-scroller").hover({ position: { x: 500, y: 130 } });
  assert.ok((await view.page.locator(".measured").innerText()).startsWith("</script><img src=x"));
  assert.equal(await view.page.locator("img, b > b, script").count(), 2); // the data and the bundle
  assert.deepEqual(view.problems, []);
  assert.equal(view.requests.length, 1);
  await view.context.close();
});

test("a run of the simulator says that it has no cycles, and nothing is empty without a reason", async () => {
  const view = await opened(browser, await written("sim.html", sample.sampleReport({ columns: 2, rows: 2, slices: 10, target: "sim" })));
  assert.match(await view.page.locator(".first-change").innerText(), /steps, not cycles/);
  for (const [key, text] of [["2", /no cycles: it counts steps/], ["5", /counts steps, not cycles/], ["6", /runs the Python as it is/]]) {
    await view.page.keyboard.press(key);
    assert.match(await view.page.locator(".tab-body:not([hidden]) .empty").innerText(), text);
  }
  assert.deepEqual(view.problems, []);
  await view.context.close();
});

test("a program that failed before a launch: why, the fix, and the lines; nothing of it is code", async () => {
  const file = `${HOSTILE}.py`;
  const place = { file, line: 2, column: 5, end_line: 2, end_column: 9, label: HOSTILE };
  const finding = { kind: "diagnostic", severity: "error", code: "TTL0223", message: HOSTILE, primary: place, secondary: [], notes: [], help: [], fix: { description: "rename", edits: [{ ...place, replacement: "block" }] } };
  const failure = { verdict: `${file} failed before it launched an operation`, findings: [finding], sources: [{ file, text: "import ttl\n𝄞 = blok\n", lines: [] }] };
  const view = await opened(browser, await written("failure.html", { schema: 1, kind: "report", title: "x", launches: [], findings: [], failure }));
  assert.equal(await view.page.locator("h1").innerText(), failure.verdict.replaceAll("\n", " "));
  assert.equal(await view.page.locator(".diff .plus").innerText(), "+ 𝄞 = block");
  assert.equal(await view.page.locator(".line.related .number").innerText(), "2");
  await view.page.locator(".places button.chip").click();
  assert.equal(await view.page.locator("img, script").count(), 2);
  assert.deepEqual(view.problems, []);
  await view.context.close();
});

test("a launch that failed: who stands where is pressed, and the wait is followed to who should have ended it", async () => {
  const report = sample.sampleReport({ columns: 2, rows: 1, slices: 10, packed: false });
  const launch = report.launches[0];
  const last = (track) => launch.tracks[track].first + launch.tracks[track].count - 1;
  launch.labels.push({ ...launch.labels[7], text: "waits for data in a_dfb, forever" });
  for (const track of [2, 1]) launch.slices.label.i[last(track)] = launch.labels.length - 1;
  launch.slices.cause.i[last(2)] = launch.slices.cause.i[last(1)] = -1;
  const waits = (track, awaited) => ({ track, state: "waits", label: launch.labels.length - 1, slice: last(track), needs: "1 page in a_dfb", awaited });
  Object.assign(launch, { findings: [{ severity: "error", code: "TTL0917", message: "deadlock" }], stands: [waits(1, [2]), waits(2, [1])], under_way: [0], profile: null, path: null, first: null });
  const view = await opened(browser, await written("stuck.html", report));
  assert.match(await view.page.locator(".stuck").first().innerText(), /waits for data in a_dfb, forever.*needs 1 page in a_dfb; should come from/s);
  await view.page.locator(".stuck .chip").first().click();
  assert.match(await view.page.locator(".inspector").innerText(), /needs.*1 page in a_dfb.*should come from/s);
  const before = await view.page.evaluate(() => location.hash);
  await view.page.locator(".timeline-scroller").press("c");
  await view.page.waitForFunction((hash) => location.hash !== hash, before || "#");
  assert.match(await view.page.locator(".inspector h3").innerText(), /forever/);
  assert.deepEqual(view.problems, []);
  await view.context.close();
});

test("two runs stand side by side, and a changed line is selected in both", async () => {
  const [first, second] = [sample.sampleReport({ columns: 2, rows: 2, slices: 40 }), sample.sampleReport({ columns: 2, rows: 2, slices: 20 })];
  const place = (path) => ({ file: "examples/matmul_multicast.py", line: 22, kernel: "compute", text: "total += a_blk @ b_blk", path });
  const side = (number) => ({ launches: [number], constants: {}, chip: "wormhole", cycles: 1, path: {}, bound_by: "NoC" });
  const diff = { launches: [{ name: "matmul", speedup: 2, before: side(1), after: side(1), lines: [{ change: -500, before: place(900), after: place(400) }] }], only_before: [], only_after: [] };
  const view = await opened(browser, await written("pair.html", { schema: 1, kind: "reports", before: first, after: second, diff }));
  assert.match(await view.page.locator("h1").innerText(), /matmul: [\d,]+ cycles → [\d,]+ cycles, \d\.\d\d times as fast/);
  await view.page.locator(".pair-lines tbody tr").click();
  assert.equal(await view.page.locator(".pair-side .cell.related").count(), 8);
  await view.page.locator(".top select").selectOption("3");
  await view.page.locator(".workspace").waitFor();
  assert.deepEqual(view.problems, []);
  await view.context.close();
});

test("several runs against a baseline: by operation, kernel and line, and each beside it", async () => {
  const reports = [40, 20, 50].map((slices) => sample.sampleReport({ columns: 2, rows: 2, slices }));
  const line = (path) => ({ file: "examples/matmul_multicast.py", line: 22, kernel: "compute", text: `${HOSTILE} += 1`, ...path });
  const operation = { name: HOSTILE, values: "K=4", launches: 1, total: { baseline: 9000, runs: [4500, null] }, speedups: [2, null], kernels: [{ kernel: "compute", baseline: 700, runs: [500, null] }], lines: [line({ baseline: 700, runs: [400, null] }), line({ baseline: null, runs: [100, null] }), line({ baseline: 9, runs: [9, null] })] };
  const compared = { headline: `Keep ${HOSTILE}: 2.00 times as fast as base (9,000 -> 4,500 cycles)`, baseline: "base", runs: ["one", "two"], operations: [operation], others: [[], ["scaled: 5 cycles"]] };
  const view = await opened(browser, await written("runs.html", { schema: 1, kind: "runs", title: "runs", baseline: reports[0], runs: reports.slice(1), names: ["base", "one", "two"], diffs: [null, null], compared }));
  assert.equal(await view.page.locator("h1").innerText(), compared.headline.replaceAll("\n", " "));
  assert.deepEqual(await view.page.locator(".totals tr").first().locator("td").allInnerTexts(), ["9,000", "−4,500", "", ""]);
  // A line that no run changed is left out; one that the baseline has not is there.
  assert.deepEqual(await view.page.locator(".lines tr td:nth-child(2)").allInnerTexts(), ["−300", "+100"]);
  assert.match(await view.page.locator(".runs > ul").innerText(), /only in two: scaled: 5 cycles/);
  await view.page.locator(".runs-open button").nth(1).click();
  await view.page.locator(".comparison").waitFor();
  assert.match(await view.page.locator("h1").innerText(), /matmul: [\d,]+ cycles → [\d,]+ cycles, .* times as slow/);
  const legends = (await view.page.locator(".map-legend .scale").allInnerTexts()).map((text) => text.match(/ of ([\d,]+)/)[1]);
  assert.equal(new Set(legends).size, 1, "both maps have one scale: that of the longest run");
  assert.match(await view.page.locator(".map-legend").first().innerText(), /of the longest run/);
  await view.page.locator(".top select").selectOption({ label: "two: 1: matmul" });
  await view.page.locator(".workspace").waitFor();
  assert.equal(await view.page.locator("img").count(), 0);
  assert.deepEqual(view.problems, []);
  await view.context.close();
});

test("the plan of a tile program is drawn, and its streams select their lines", async () => {
  const view = await opened(browser, await written("design.html", sample.sampleReport({ slices: 20, designed: true })));
  await view.page.getByRole("tab", { name: "Design" }).click();
  assert.match(await view.page.locator(".design .caption").first().innerText(), /^64 nodes, about 9,000 cycles/);
  assert.deepEqual(await view.page.locator(".design-nodes").evaluateAll((all) => all.map((one) => [one.querySelectorAll("rect").length, one.querySelectorAll(".mover").length, one.querySelectorAll("path").length])), [[64, 8, 8], [64, 8, 8], [64, 1, 9], [64, 64, 0]]);
  await view.page.locator(".design-stream").nth(1).press("Enter");
  assert.equal(await view.page.locator(".inspector h3").innerText(), "matmul_multicast.py:28");
  assert.equal(await view.page.locator(".design tr.chosen").count(), 2);
  assert.match(await view.page.locator(".design tr.chosen").first().innerText(), /b_dfb\s+2 x \(2, 4\) tiles, 4 blocks for a node\s+[\d.]+ KB\s+write\s+multicast along columns/);
  assert.deepEqual(view.problems, []);
  await view.context.close();
  const hostile = await opened(browser, await written("design-hostile.html", sample.sampleReport({ slices: 6, designed: true, name: HOSTILE })));
  await hostile.page.getByRole("tab", { name: "Design" }).click();
  assert.equal(await hostile.page.locator("img").count(), 0);
  assert.deepEqual(hostile.problems, []);
  await hostile.context.close();
});

test("what a card measured stands beside the emulated cycles, and signposts select their lines", async () => {
  const view = await opened(browser, await written("measured.html", sample.sampleReport({ slices: 20, measured: true })));
  await view.page.getByRole("tab", { name: "Measured" }).click();
  const rows = view.page.locator(".tab-body:not([hidden]) tbody tr");
  assert.deepEqual(await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent))), [
    ["matmul, first begin to last end", "9,000", "20,000", "25,000", "−20 %"], ["kernels on pack", "700", "900", "not measured", ""], ["fetch on ncrisc, matmul_multicast.py:16", "100", "480", "400", "+20 %"],
  ]);
  await rows.nth(2).press("Enter");
  assert.equal(await view.page.locator(".inspector h3").innerText(), "matmul_multicast.py:16");
  assert.deepEqual(await rows.evaluateAll((all) => all.map((row) => row.classList.contains("related"))), [false, false, true]);
  assert.deepEqual(view.problems, []);
  await view.context.close();
  const hostile = await opened(browser, await written("measured-hostile.html", sample.sampleReport({ slices: 6, measured: true, name: HOSTILE })));
  await hostile.page.getByRole("tab", { name: "Measured" }).click();
  assert.equal(await hostile.page.locator("img").count(), 0);
  assert.deepEqual(hostile.problems, []);
  await hostile.context.close();
  const without = await opened(browser, await written("unmeasured.html", sample.sampleReport({ slices: 6 })));
  assert.equal(await without.page.getByRole("tab", { name: "Measured" }).count(), 0);
  await without.context.close();
});

test("what ttl tune found: heat maps with their figures, and what it says", async () => {
  const cell = (ratio, exact = true) => ({ cycles: Math.round(5000 * ratio), ratio, exact });
  const maps = [
    { title: `${HOSTILE}: configurations against shapes`, corner: "configuration", columns: ["256x192", "64x64"], rows: [`block=${HOSTILE}`, "block=1"], cells: [[cell(1), cell(1.04)], [cell(1.56), null]] },
    { title: "by block and count", corner: "block \\ count", columns: ["1", "2", "4"], rows: ["(1, 1)"], cells: [[cell(4.2, false), cell(2), cell(1)]] },
  ];
  const view = await opened(browser, await written("tuning.html", { schema: 1, kind: "tuning", title: "double.py", command: "ttl tune double.py", maps, texts: [["For all shapes at once choose block=(2, 2)", "  double on wormhole, 2 shapes"], [HOSTILE]] }));
  assert.equal(await view.page.locator("h1").innerText(), "For all shapes at once choose block=(2, 2)");
  await view.page.locator(".heat svg text", { hasText: ">4.20x" }).waitFor();
  const shown = await view.page.locator(".heat").first().locator("svg text").allTextContents();
  for (const text of ["1.00x", "1.04x", "1.56x", "64x64", "block=1"]) assert.ok(shown.includes(text), `${text} in ${shown.join(" ")}`);
  assert.match(await view.page.locator(".heat").nth(1).getAttribute("aria-label"), /\(1, 1\): 1 >4.20x, 2 2.00x, 4 1.00x/);
  const fills = await view.page.locator(".heat").nth(1).locator("svg path[fill]").evaluateAll((paths) => paths.map((path) => path.getAttribute("fill")));
  assert.ok(new Set(fills.filter((fill) => /^(#|rgb)/.test(fill))).size >= 3, fills.join(" "));
  await view.page.getByText("light / dark").click();
  assert.equal(await view.page.locator("img").count(), 0);
  assert.deepEqual(view.problems, []);
  assert.equal(view.requests.length, 1);
  await view.context.close();
});

for (const [name, report, message] of [
  ["cut off", { schema: 1, kind: "report", title: "x", launches: [{}] }, /cannot be shown/],
  ["of another schema", { schema: 7, kind: "report", title: "x", launches: [] }, /its schema is 7, and this page reads 1/],
  ["without a launch", { schema: 1, kind: "report", title: "x", launches: [] }, /Nothing was launched/],
]) {
  test(`a report that is ${name} says so`, async () => {
    const view = await opened(browser, await written("broken.html", report));
    assert.match(await view.page.locator(".empty").first().innerText(), message);
    assert.deepEqual(view.problems, []);
    await view.context.close();
  });
}

describe("a launch over three chips", () => {
  let view;
  before(async () => {
    const launch = sample.sampleMesh();
    view = await opened(browser, await written("mesh.html", { ...sample.sampleReport({ columns: 6, rows: 1, slices: 6 }), launches: [launch] }));
  });
  after(() => view?.context.close());

  test("draws the system with its links, and the nodes of the chip that is pressed", async () => {
    const { page } = view;
    assert.deepEqual([await page.locator(".mesh .cell").count(), await page.locator(".mesh .cell[role=button]").count()], [6, 3]);
    // Both ways of nine links; the two around the rows are two stubs each.
    assert.equal(await page.locator(".mesh .link").count(), 2 * 7 + 2 * 2 * 2);
    const title = () => page.locator(".map:not(.mesh) h2").innerText();
    const nodes = () => page.locator(".map:not(.mesh) .cell[aria-label^=node]").count();
    assert.match(await title(), /^chip \(0, 0\), /);
    assert.equal(await nodes(), 2);
    await page.locator(".mesh .cell[role=button]").nth(2).click();
    assert.match(await title(), /^chip \(0, 2\), /);
    assert.equal(await page.locator(".mesh .cell.chosen").textContent(), "4");
    await page.locator(".mesh .link").first().dispatchEvent("pointermove", { clientX: 100, clientY: 100 });
    assert.match(await page.locator(".tip").innerText(), /^from chip \(0, 0\) to chip \(0, 1\), 2 ports/);
  });

  test("of a call that every chip runs by itself, a press on a chip shows its launch", async () => {
    const alone = await opened(browser, await written("devices.html", sample.sampleDevices()));
    const { page } = alone;
    assert.deepEqual(await page.locator("select[aria-label=Launch] option").allInnerTexts().then((texts) => texts.map((text) => text.split(" · ")[0].replace(/^.*matmul/, "matmul"))), ["matmul on chip (0, 0)", "matmul on chip (0, 1)", "matmul"]);
    assert.deepEqual([await page.locator(".mesh .cell").count(), await page.locator(".mesh .cell[role=button]").count()], [6, 2]);
    const title = () => page.locator(".map:not(.mesh) h2").innerText();
    assert.match(await title(), /^chip \(0, 0\), /);
    assert.match(await page.locator(".mesh .map-legend").innerText(), /^Each chip runs the operation by itself/);
    await page.locator(".mesh .cell[role=button]").nth(1).press("Enter");
    await page.locator(".map:not(.mesh) h2", { hasText: "chip (0, 1)" }).waitFor();
    assert.equal(await page.locator("select[aria-label=Launch]").inputValue(), "1");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "1");
    assert.deepEqual(alone.problems, []);
    await alone.context.close();
  });

  test("a node that is selected elsewhere brings its chip", async () => {
    const { page } = view;
    await page.evaluate(() => { location.hash = "#select=node:2"; });
    await page.locator(".map:not(.mesh) h2", { hasText: "chip (0, 1)" }).waitFor();
  });
});
