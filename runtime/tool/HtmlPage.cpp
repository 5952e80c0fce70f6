// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `patchbay report --html`. The trace is in it as JSON:
//   functions  names
//   root       the tree of calls, summed: [function, calls, total, self, subs]
//   histogram  by function: how many calls took at least 2^i ns, less than twice
//   threads    [name, [[start, duration, depth, function], ...]], in ns from begin
#include "HtmlReport.h"

const char patchbay::HtmlHead[] = R"html(<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>
body { font: 13px sans-serif; margin: 1em 2em; color: #222; background: #fff }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin: 1.5em 0 .3em }
.plot { position: relative; overflow: hidden; border: 1px solid #ccc }
.plot div { position: absolute; height: 17px; line-height: 17px; overflow: hidden;
  white-space: nowrap; font-size: 11px; cursor: pointer; box-sizing: border-box;
  border-right: 1px solid #fff; text-indent: 2px }
.dim { opacity: .35 }
#what { min-height: 1.5em } svg text { font-size: 10px }
</style>
)html";

const char patchbay::HtmlScript[] = R"html(
<p id="what">Click a call to look into it, and the lowest line to come back.</p>
<h2>Flame graph</h2><div id="flame" class="plot"></div>
<h2>Durations of <span id="chosen">all functions</span></h2>
<svg id="histogram" width="640" height="150" role="img"></svg>
<h2>Timeline</h2><div id="timeline"></div>
<script>
"use strict";
const trace = JSON.parse(document.getElementById("trace").textContent);
const get = id => document.getElementById(id), row = 18;
const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]];
const time = ns => {
  for (const [factor, unit] of units)
    if (ns >= factor) return (ns / factor).toFixed(3) + " " + unit;
  return ns + " ns";
};
const color = f => `hsl(${f * 47 % 60 + 5},85%,${68 + f * 13 % 14}%)`;
function box(plot, left, width, top, f, text) {
  const div = document.createElement("div");
  div.style.left = 100 * left + "%";
  div.style.width = Math.max(100 * width, .05) + "%";
  div.style.top = top * row + "px";
  div.style.background = f < 0 ? "#ddd" : color(f);
  div.textContent = f < 0 ? "all" : trace.functions[f];
  div.title = text;
  div.onmouseover = () => get("what").textContent = text;
  plot.append(div);
  return div;
}
const say = ([f, calls, total, self]) =>
  (f < 0 ? "all" : trace.functions[f]) + `: ${calls} calls, ${time(total)}, ` +
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
}
function histogram(f) {
  const svg = get("histogram"), all = trace.histogram;
  const bars = f >= 0 ? all[f] : all[0]?.map((_, i) => all.reduce((n, h) => n + h[i], 0));
  get("chosen").textContent = f < 0 ? "all functions" : trace.functions[f];
  svg.replaceChildren();
  if (!bars) return;
  const most = Math.max(...bars, 1), wide = 640 / bars.length;
  const add = (kind, attributes, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    e.append(text);
    svg.append(e);
    return e;
  };
  bars.forEach((n, i) => {
    const tall = n ? 1 + 118 * n / most : 0;
    const bar = add("rect", { x: i * wide + 1, y: 125 - tall, width: wide - 2,
                              height: tall, fill: "#c63" }, "");
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = `${n} calls of ${time(i ? 2 ** i : 0)} to ${time(2 ** (i + 1))}`;
    bar.append(title);
    if (i % 5 == 0) add("text", { x: i * wide, y: 142 }, time(2 ** i).replace(".000", ""));
  });
}
for (const [name, calls] of trace.threads) {
  const plot = document.createElement("div"), label = document.createElement("p");
  plot.className = "plot";
  plot.style.height = (1 + Math.max(0, ...calls.map(c => c[2]))) * row + "px";
  label.textContent = name;
  get("timeline").append(label, plot);
  for (const [start, duration, depth, f] of calls)
    box(plot, start / trace.length, duration / trace.length, depth, f,
        `${trace.functions[f]}: ${time(duration)}, ${time(start)} after the first`)
      .onclick = () => histogram(f);
}
flame([], trace.root);
histogram(-1);
</script></html>
)html";
