// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `patchbay report --html`. The trace is in it as JSON:
//   functions  [name, calls, total, longest]
//   order      of those that were called, by index
//   histogram  by function: how many calls took at least unit * 2^i ns, less than
//              twice as long; empty if none has a duration
//   unit       in ns
//   root       the tree of calls, summed: [function, calls, total, self, subs]
//   threads    [name, [[start, duration, depth, function], ...]], in ns from begin
//   noCalls, noDurations
//              why there is nothing to see in the tree and the threads, and in the
//              histogram; empty if there is
#include "HtmlReport.h"

const char patchbay::HtmlHead[] = R"html(<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>
body { font: 13px sans-serif; margin: 1em 2em; color: #222; background: #fff }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin: 1.5em 0 .3em }
.plot { position: relative; border: 1px solid #ccc }
.plot div { position: absolute; height: 17px; line-height: 17px; overflow: hidden;
  white-space: nowrap; font-size: 11px; cursor: pointer; box-sizing: border-box;
  border-right: 1px solid #fff; min-width: 2px; text-indent: 2px }
.dim, .other { opacity: .35 }
#what { min-height: 1.5em } svg text { font-size: 10px }
th, td { text-align: right; padding: 0 1em 0 0; font-weight: normal }
th { color: #666 } #functions :last-child { text-align: left }
button { border: 0; padding: 0; background: none; font: inherit; cursor: pointer;
  text-decoration: underline dotted }
</style>
)html";

const char patchbay::HtmlScript[] = R"html(
<p><label>Function: <input id="search" type="search" size="40"
  placeholder="part of a name"></label> <span id="found" role="status"></span></p>
<p id="what">Click a call to look into it, and the lowest line to come back.</p>
<h2>Flame graph</h2><div id="flame" class="plot"></div>
<h2>Durations of <span id="chosen"></span></h2>
<div id="durations"><svg id="histogram" width="700" height="190" aria-hidden="true"></svg>
<details><summary>As a table</summary><table id="buckets">
<thead><tr><th>at least<th>less than<th>calls</thead><tbody></table></details></div>
<h2>Functions</h2><table id="functions">
<thead><tr><th>calls<th>total<th>longest<th>function</thead><tbody></table>
<p id="more"></p>
<h2>Timeline</h2><div id="timeline"></div>
<script>
"use strict";
const trace = JSON.parse(document.getElementById("trace").textContent);
const get = id => document.getElementById(id), row = 18, mostRows = 100;
const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]];
const inUnit = (ns, text) => {
  for (const [factor, unit] of units)
    if (ns >= factor) return text(ns / factor) + " " + unit;
  return ns + " ns";
};
const time = ns => inUnit(ns, n => n.toFixed(3));
const shortTime = ns => inUnit(ns, n => +n.toPrecision(3));
const shortCount = n => n.toLocaleString("en", { notation: "compact" });
const nameOf = f => f < 0 ? "all functions" : trace.functions[f][0];
const color = f => `hsl(${f * 47 % 60 + 5},85%,${68 + f * 13 % 14}%)`;
const order = trace.order;
let found = null;

function box(plot, left, width, top, f, text) {
  const div = document.createElement("div");
  div.style.left = 100 * left + "%";
  div.style.width = 100 * width + "%";
  div.style.top = top * row + "px";
  div.style.background = f < 0 ? "#ddd" : color(f);
  div.textContent = f < 0 ? "all" : nameOf(f);
  div.title = text;
  div.dataset.function = f;
  div.onmouseover = () => get("what").textContent = text;
  plot.append(div);
  return div;
}
function markFound() {
  for (const div of document.querySelectorAll(".plot div"))
    div.classList.toggle("other", !!found && !found.has(+div.dataset.function));
}
const say = ([f, calls, total, self]) =>
  (f < 0 ? "all" : nameOf(f)) + `: ${calls} calls, ${time(total)}, ` +
  `${time(self)} of it in no other function`;
const height = node => 1 + Math.max(0, ...node[4].map(height));
function flame(above, node) {
  const plot = get("flame"), deep = above.length + height(node);
  plot.replaceChildren();
  plot.style.height = deep * row + "px";
  above.forEach((n, i) => {
    const div = box(plot, 0, 1, deep - 1 - i, n[0], say(n));
    div.className = "dim";
    div.onclick = () => flame(above.slice(0, i), n);
  });
  (function draw(n, left, width, path) {
    box(plot, left, width, deep - 1 - path.length, n[0], say(n)).onclick = () => {
      flame(path, n);
      histogram(n[0]);
    };
    for (const sub of n[4]) {
      const part = n[2] ? width * sub[2] / n[2] : 0;
      if (part > .0005) draw(sub, left, part, [...path, n]);
      left += part;
    }
  })(node, 0, 1, above);
  markFound();
}

const start = i => i ? Math.round(trace.unit * 2 ** i) : 0;
const allBars = [];
for (const bars of trace.histogram)
  bars.forEach((n, i) => allBars[i] = (allBars[i] ?? 0) + n);
function svg(kind, attributes, ...inside) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...inside);
  return e;
}
function cells(body, texts) {
  const tr = document.createElement("tr");
  for (const text of texts) {
    const td = document.createElement("td");
    td.append(text);
    tr.append(td);
  }
  body.append(tr);
}
function histogram(f) {
  const bars = f < 0 ? allBars : trace.histogram[f];
  const plot = get("histogram"), body = get("buckets").tBodies[0];
  get("chosen").textContent = nameOf(f);
  plot.replaceChildren();
  body.replaceChildren();
  const first = bars.findIndex(n => n), last = bars.findLastIndex(n => n);
  if (first < 0) {
    plot.append(svg("text", { x: 20, y: 20 }, "none of its calls has one"));
    return;
  }
  const most = Math.max(...bars.slice(first, last + 1)), bottom = 150;
  const wide = Math.min(660 / (last - first + 1), 80), labels = Math.ceil(55 / wide);
  for (let i = first; i <= last + 1; i++) {
    const left = 20 + (i - first) * wide, n = bars[i];
    if ((i - first) % labels == 0)
      plot.append(svg("path", { d: `M${left} ${bottom}v5`, stroke: "#666" }),
                  svg("text", { x: left, y: bottom + 16, "text-anchor": "middle" },
                      shortTime(start(i))));
    if (i > last) break;
    cells(body, [time(start(i)), time(start(i + 1)), n]);
    if (!n) continue;
    // Whoever was there shows, if only a little.
    const tall = 1 + 130 * n / most;
    plot.append(
      svg("rect", { x: left + 1, y: bottom - tall, width: wide - 2, height: tall,
                    fill: "#c63" },
          svg("title", {}, `${n} calls of ${time(start(i))} to ${time(start(i + 1))}`)));
    if (wide > 25)
      plot.append(svg("text", { x: left + wide / 2, y: bottom - tall - 4,
                                "text-anchor": "middle" }, shortCount(n)));
  }
  plot.append(svg("path", { d: `M20 ${bottom}h${(last - first + 1) * wide}`,
                            stroke: "#666" }),
              svg("text", { x: 20, y: bottom + 34 },
                  "duration of a call; each bar is for twice the time of the one before"));
}

function list() {
  const body = get("functions").tBodies[0];
  const listed = order.filter(f => !found || found.has(f));
  body.replaceChildren();
  for (const f of listed.slice(0, mostRows)) {
    const [name, calls, total, longest] = trace.functions[f];
    const timed = trace.histogram[f].reduce((sum, n) => sum + n, 0);
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = () => {
      histogram(f);
      get("chosen").scrollIntoView();
    };
    cells(body, [calls, ...(timed ? [total, longest].map(time) : ["-", "-"]), button]);
  }
  get("more").textContent =
    listed.length > mostRows ? `and ${listed.length - mostRows} more: search for them` : "";
}
function search(text) {
  const part = text.toLowerCase();
  found = part ? new Set(order.filter(f => nameOf(f).toLowerCase().includes(part))) : null;
  const exact = order.find(f => nameOf(f) == text);
  histogram(exact ?? order.find(f => found?.has(f)) ?? -1);
  get("found").textContent = found ? `functions that match: ${found.size}` : "";
  list();
  markFound();
}
// Threads of which there is as good as nothing to see are folded.
const folded = document.createElement("details");
const isSeen = calls =>
  calls.reduce((sum, c) => c[2] ? sum : sum + c[1], 0) >= trace.length / 1000;
for (const [name, calls] of trace.threads) {
  const plot = document.createElement("div"), label = document.createElement("p");
  plot.className = "plot";
  plot.style.height = (1 + Math.max(0, ...calls.map(c => c[2]))) * row + "px";
  label.textContent = name;
  (isSeen(calls) ? get("timeline") : folded).append(label, plot);
  for (const [start, duration, depth, f] of calls)
    box(plot, start / trace.length, duration / trace.length, depth, f,
        `${nameOf(f)}: ${time(duration)}, ${time(start)} after the first`)
      .onclick = () => histogram(f);
}
const nrFolded = folded.querySelectorAll(".plot").length;
if (nrFolded) {
  const summary = document.createElement("summary");
  summary.textContent =
    `Threads with calls in less than 0.1 % of the time: ${nrFolded}`;
  folded.prepend(summary);
  folded.open = nrFolded == trace.threads.length;
  get("timeline").append(folded);
}
function missing(id, why) {
  const p = document.createElement("p");
  p.textContent = why;
  get(id).before(p);
  get(id).hidden = true;
}
if (trace.noCalls) {
  missing("flame", trace.noCalls);
  missing("timeline", trace.noCalls);
  get("what").hidden = true;
} else {
  flame([], trace.root);
}
if (trace.noDurations) missing("durations", trace.noDurations);
get("search").oninput = () => search(get("search").value);
// The page's address with #NAME looks for that.
(window.onhashchange = () => {
  get("search").value = decodeURIComponent(location.hash.slice(1));
  search(get("search").value);
})();
</script></html>
)html";
