// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `patchbay report --html`. The trace is in it as JSON:
//   functions  [name, calls, total, self, longest]
//   order      of those that were called, by index
//   histogram  by function: how many calls took at least unit * 2^i ns, less than
//              twice as long; empty if none has a duration
//   unit       in ns
//   tree       of calls, summed: [function, calls, total, self, depth, how many were
//              open, how many cut off]; behind each are those below it, whose depth
//              is larger. The first is of all functions
//   threads    [name, how many calls, [[start, duration, depth, function, was it
//              open (1) or cut off (2)], ...]], in ns from begin; not of all calls
//   noCalls, noDurations
//              why there is nothing to see in the tree and the threads, and in the
//              histogram; empty if there is
#include "HtmlReport.h"

const char patchbay::HtmlHead[] = R"html(<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; --text: #222; --back: #fff; --quiet: #666;
  --line: #ccc; --bar: #c63; --loss: #fff3d6 }
@media (prefers-color-scheme: dark) {
  :root { --text: #ddd; --back: #1c1c1e; --quiet: #999; --line: #444;
    --bar: #d77a4a; --loss: #3d3319 }
}
body { font: 13px sans-serif; margin: 1em 2em; color: var(--text);
  background: var(--back); overflow-wrap: anywhere }
@media (max-width: 500px) { body { margin: 1em } }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin: 1.5em 0 .3em }
#losses { background: var(--loss); border-left: 4px solid var(--bar);
  padding: .1em 1em; max-width: 70em }
#losses h2 { margin: .5em 0 0 } #losses ul { margin: .4em 0; padding-left: 1.5em }
#search { max-width: 100%; box-sizing: border-box }
.plot { position: relative; border: 1px solid var(--line); overflow: hidden }
.plot div { position: absolute; height: 17px; line-height: 17px; overflow: hidden;
  white-space: nowrap; font-size: 11px; cursor: pointer; box-sizing: border-box;
  border-right: 1px solid var(--back); min-width: 2px; text-indent: 2px; color: #222 }
.plot .unfinished { background-image: repeating-linear-gradient(135deg,
  transparent 0 6px, #0003 6px 8px) }
.axis { position: relative; height: 15px; overflow: hidden }
.axis span { position: absolute; padding-left: 3px; font-size: 10px; height: 15px;
  border-left: 1px solid var(--quiet); color: var(--quiet); white-space: nowrap }
.dim, .other { opacity: .35 }
#what { min-height: 1.5em } .note { color: var(--quiet) }
svg { max-width: 100%; height: auto } svg text { font-size: 10px; fill: var(--text) }
svg path { stroke: var(--quiet) } svg rect { fill: var(--bar) }
th, td { text-align: right; padding: 0 1em 0 0; font-weight: normal;
  vertical-align: top; white-space: nowrap }
th { color: var(--quiet) }
#functions :last-child { text-align: left; white-space: normal }
button { border: 0; padding: 0; background: none; font: inherit; cursor: pointer;
  color: inherit; text-decoration: underline dotted; overflow-wrap: anywhere }
</style>
)html";

const char patchbay::HtmlScript[] = R"html(
<p><label>Function: <input id="search" type="search" size="40"
  placeholder="part of a name"></label> <span id="found" role="status"></span></p>
<p id="what">Click a call to look into it, and the lowest line to come back.</p>
<h2>Flame graph</h2><div id="flame" class="plot"></div>
<p id="deeper" class="note" hidden></p>
<p id="unfinished" class="note" hidden>Hatched calls were not seen to return: their time
is until recording ended, or until the last that was seen in them.</p>
<h2>Durations of <span id="chosen"></span></h2>
<div id="durations"><svg id="histogram" width="700" height="190" viewBox="0 0 700 190" aria-hidden="true"></svg>
<details><summary>As a table</summary><table id="buckets">
<thead><tr><th>at least<th>less than<th>calls</thead><tbody></table></details></div>
<h2>Functions</h2><table id="functions">
<thead><tr><th>calls<th>total<th>self<th>longest<th>function</thead><tbody></table>
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
const order = trace.order, tree = trace.tree;
let found = null;

function box(plot, left, width, top, f, text, unfinished) {
  const div = document.createElement("div");
  div.style.left = 100 * left + "%";
  div.style.width = 100 * width + "%";
  div.style.top = top * row + "px";
  div.style.backgroundColor = f < 0 ? "#ddd" : color(f);
  div.textContent = f < 0 ? "all" : nameOf(f);
  div.title = text;
  div.dataset.function = f;
  if (unfinished) div.className = "unfinished";
  div.onmouseover = () => get("what").textContent = text;
  plot.append(div);
  return div;
}
function markFound() {
  for (const div of document.querySelectorAll(".plot div"))
    div.classList.toggle("other", !!found && !found.has(+div.dataset.function));
}
const say = ([f, calls, total, self, , open, cutOff]) =>
  (f < 0 ? "all" : nameOf(f)) + `: ${calls} calls, ${time(total)}, ` +
  `${time(self)} of it in no other function` +
  (open ? `, ${open} open when recording ended` : "") +
  (cutOff ? `, ${cutOff} cut off` : "");
// Of each node of the tree the one that it is below, and the next that is not
// below it. A recursion makes a tree that is too deep for a recursion here.
const outer = [], behind = [];
{
  const open = [];
  const close = (depth, next) => {
    while (open.length > depth) behind[open.pop()] = next;
  };
  tree.forEach((n, i) => {
    close(n[4], i);
    outer.push(open.at(-1));
    open.push(i);
  });
  close(0, tree.length);
}
// So many levels are drawn at once, and so many of what a node is in.
const mostLevels = 100, mostOuter = 20;
function flame(node) {
  const above = [], boxes = [], lefts = [0], widths = [1], ends = [0];
  let levels = 1, deeper = false;
  for (let i = outer[node]; i !== undefined; i = outer[i]) above.push(i);
  above.reverse();
  if (above.length > mostOuter) above.splice(1, above.length - mostOuter);
  for (let i = node; i < behind[node];) {
    const n = tree[i], level = n[4] - tree[node][4];
    if (level) {
      const all = tree[outer[i]][2];
      lefts[level] = ends[level - 1];
      widths[level] = all ? widths[level - 1] * n[2] / all : 0;
      ends[level - 1] += widths[level];
    }
    ends[level] = lefts[level];
    const seen = !level || widths[level] > .0005;
    if (seen && level < mostLevels) {
      boxes.push([i, lefts[level], widths[level], level]);
      levels = Math.max(levels, level + 1);
      i++;
    } else {
      deeper ||= seen;
      i = behind[i];
    }
  }
  const plot = get("flame"), high = above.length + levels;
  plot.replaceChildren();
  plot.style.height = high * row + "px";
  const draw = (i, left, width, level) =>
    box(plot, left, width, high - 1 - level, tree[i][0], say(tree[i]),
        tree[i][5] + tree[i][6] > 0);
  above.forEach((i, level) => {
    const div = draw(i, 0, 1, level);
    div.classList.add("dim");
    div.onclick = () => flame(i);
  });
  for (const [i, left, width, level] of boxes)
    draw(i, left, width, above.length + level).onclick = () => {
      flame(i);
      histogram(tree[i][0]);
    };
  get("deeper").hidden = !deeper;
  get("deeper").textContent = `Only ${mostLevels} levels are drawn. ` +
    "Click a call at the top to see what is above it.";
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
      plot.append(svg("path", { d: `M${left} ${bottom}v5` }),
                  svg("text", { x: left, y: bottom + 16, "text-anchor": "middle" },
                      shortTime(start(i))));
    if (i > last) break;
    cells(body, [time(start(i)), time(start(i + 1)), n]);
    if (!n) continue;
    // Whoever was there shows, if only a little.
    const tall = 1 + 130 * n / most;
    plot.append(
      svg("rect", { x: left + 1, y: bottom - tall, width: wide - 2, height: tall },
          svg("title", {}, `${n} calls of ${time(start(i))} to ${time(start(i + 1))}`)));
    if (wide > 25)
      plot.append(svg("text", { x: left + wide / 2, y: bottom - tall - 4,
                                "text-anchor": "middle" }, shortCount(n)));
  }
  plot.append(svg("path", { d: `M20 ${bottom}h${(last - first + 1) * wide}` }),
              svg("text", { x: 20, y: bottom + 34 },
                  "duration of a call; each bar is for twice the time of the one before"));
}

function list() {
  const body = get("functions").tBodies[0];
  const listed = order.filter(f => !found || found.has(f));
  body.replaceChildren();
  for (const f of listed.slice(0, mostRows)) {
    const [name, calls, total, self, longest] = trace.functions[f];
    const timed = trace.histogram[f].reduce((sum, n) => sum + n, 0);
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = () => {
      histogram(f);
      get("chosen").scrollIntoView();
    };
    const hasTotal = timed || total;
    cells(body, [calls, hasTotal ? time(total) : "-",
                 hasTotal && !trace.noCalls ? time(self) : "-",
                 timed ? time(longest) : "-", button]);
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
// Some ten marks, a round time apart.
{
  const axis = document.createElement("div"), least = trace.length / 10;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].find(n => n * power >= least) * power);
  axis.className = "axis";
  for (let i = 0; i * step <= trace.length; i++) {
    const mark = document.createElement("span");
    mark.style.left = 100 * i * step / trace.length + "%";
    mark.textContent = shortTime(i * step);
    axis.append(mark);
  }
  get("timeline").append(axis);
}
// Threads of which there is as good as nothing to see are folded.
const folded = document.createElement("details");
const isSeen = calls =>
  calls.reduce((sum, c) => c[2] ? sum : sum + c[1], 0) >= trace.length / 1000;
const ends = ["", " until recording ended", " at least, it was cut off"];
for (const [name, all, calls] of trace.threads) {
  const plot = document.createElement("div"), label = document.createElement("p");
  plot.className = "plot";
  plot.style.height = (1 + Math.max(0, ...calls.map(c => c[2]))) * row + "px";
  label.textContent = name;
  if (calls.length < all) {
    const note = document.createElement("span");
    note.className = "note";
    note.textContent = ` ${calls.length} of ${all} calls`;
    label.append(note);
  }
  (isSeen(calls) ? get("timeline") : folded).append(label, plot);
  for (const [start, duration, depth, f, end] of calls)
    box(plot, start / trace.length, duration / trace.length, depth, f,
        `${nameOf(f)}: ${time(duration)}${ends[end]}, ${time(start)} after the first`,
        end > 0)
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
get("unfinished").hidden = !tree.some(n => n[5] + n[6]);
if (trace.noCalls) {
  missing("flame", trace.noCalls);
  missing("timeline", trace.noCalls);
  get("what").hidden = true;
} else {
  flame(0);
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
