/** The page of a report. */
import { h } from "./dom";
import type { Pair, Report } from "./data/model";

const text = document.getElementById("report")?.textContent ?? "";
const report = JSON.parse(text) as Report | Pair;
document.body.append(h("main", {}, report.kind === "report" ? report.title : report.after.title));
