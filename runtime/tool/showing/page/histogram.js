// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a histogram of durations. The limits of a bar are twice the limits of the previous
// bar. Also shows the numbers as a table, like `patchbay report --histogram`.

function svg(kind, attributes, ...inside) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...inside);
  return e;
}
function cells(row, texts, kind = "td") {
  const tr = document.createElement("tr");
  for (const text of texts) {
    const cell = document.createElement(kind);
    if (kind === "th") cell.scope = "col";
    cell.append(text);
    tr.append(cell);
  }
  row.append(tr);
  return tr;
}
// Columns from index `text` on contain text; the columns before contain numbers.
function setHead(table, titles, text = Infinity) {
  table.tHead.replaceChildren();
  const tr = cells(table.tHead, titles, "th");
  for (const th of [...tr.cells].slice(text)) th.className = "text";
  for (const th of tr.cells) if (/^(function|called)/.test(th.textContent)) th.className = "name";
}
// Position of a time on the axis, in bars.
const placeOf = ns => ns < trace.unit * 2 ? ns / (trace.unit * 2) : Math.log2(ns / trace.unit);
const bucketStart = (unit, i) => i ? Math.round(unit * 2 ** i) : 0;

class HistogramView {
  constructor() {
    this.chosenChanged();
  }
  // Use the available width, so that the text is readable on small screens.
  get width() { return Math.max(280, Math.min(720, get("durations").clientWidth || 720)); }
  draw() {
    if (this.width !== this.drawn) this.chosenChanged();
  }
  sum(histograms) {
    const all = [];
    for (const bars of histograms) bars.forEach((n, i) => all[i] = (all[i] ?? 0) + n);
    return all;
  }
  chosenChanged() {
    const f = state.chosen;
    this.drawn = this.width;
    get("of").textContent = nameOf(f);
    const side = (unit, of, is) => ({ unit, is, bars: f < 0 ? this.sum(of) : of[f] });
    const sides = [side(trace.unit, seen.histogram, "")];
    if (trace.before) sides.push(side(trace.unitBefore, trace.histogramBefore, "before"));
    const box = get("histogram"), body = get("buckets").tBodies[0];
    box.replaceChildren();
    body.replaceChildren();
    const used = sides.flatMap(({ bars }) => [bars.findIndex(n => n), bars.findLastIndex(n => n)]).filter(i => i >= 0);
    if (!used.length) {
      box.textContent = "None of its calls has a duration.";
      return;
    }
    this.first = Math.min(...used);
    this.last = Math.max(...used);
    box.append(this.plot(sides, f));
    setHead(get("buckets"), ["at least", "less than", ...sides.map(s => s.is ? "calls before" : "calls")]);
    for (let i = this.first; i <= this.last; i++)
      cells(body, [time(bucketStart(trace.unit, i)), time(bucketStart(trace.unit, i + 1)),
                   ...sides.map(s => count(s.bars[i] ?? 0))]);
  }
  plot(sides, f) {
    const { first, last } = this, bottom = 190, all = this.drawn;
    const wide = Math.min((all - 40) / (last - first + 1), 80);
    const most = Math.max(...sides.flatMap(s => [...s.bars]));
    const total = sides[0].bars.reduce((sum, n) => sum + (n ?? 0), 0);
    const plot = svg("svg", { viewBox: `0 0 ${all} 246`, width: all, height: 246, role: "img",
      "aria-label": `How long calls took: ${plural(total, "call")} of ${time(bucketStart(trace.unit, first))} ` +
        `to ${time(bucketStart(trace.unit, last + 1))}; the table below has the same` });
    for (const { unit, bars, is } of sides)
      for (let i = first; i <= last; i++) {
        const left = 20 + (i - first) * wide, n = bars[i] ?? 0;
        if (!n) continue;
        // Show at least a short bar for a bucket with calls.
        const tall = 2 + 128 * n / most, inset = is ? 3 : 1;
        plot.append(svg("rect", { class: is, x: left + inset, y: bottom - tall, width: Math.max(wide - 2 * inset, 1), height: tall },
          svg("title", {}, `${plural(n, "call")}${is && " before"} of ${time(bucketStart(unit, i))} to ${time(bucketStart(unit, i + 1))}`)));
        if (!is && wide > 30)
          plot.append(svg("text", { x: left + wide / 2, y: bottom - tall - 4, "text-anchor": "middle" }, shortCount(n)));
      }
    // Round times on the axis: 1, 10 and 100 us, and also 2 and 5 us if there is space.
    let end = -Infinity;
    const least = bucketStart(trace.unit, first), longest = bucketStart(trace.unit, last + 1);
    const isFew = longest < 20 * Math.max(least, 1);
    for (let power = 1; power <= longest; power *= 10)
      for (const ns of (isFew ? [1, 2, 5] : [1]).map(n => n * power)) {
        const left = 20 + (placeOf(ns) - first) * wide, text = shortTime(ns), half = text.length * 3.5;
        if (ns < least || ns > longest || left - half < Math.max(end, 0) || left + half > all) continue;
        end = left + half + 10;
        plot.append(svg("path", { d: `M${left} ${bottom}v5` }),
          svg("text", { x: left, y: bottom + 18, "text-anchor": "middle" }, text));
      }
    plot.append(svg("path", { d: `M20 ${bottom}h${(last - first + 1) * wide}` }),
      svg("text", { class: "quiet", x: 20, y: bottom + 40 }, (all < 500 ? "" : "duration of a call; ") + "each bar: twice the duration of the previous one" +
        (trace.before ? "; outlines: before" : "")));
    if (f >= 0) this.marks(plot, f, wide, bottom);
    return plot;
  }
  marks(plot, f, wide, bottom) {
    const ends = [], texts = []; // ends: where the last text in each line ends
    for (const key of ["p50", "p95", "p99"]) {
      const ns = seen.after[key][f];
      if (ns === null) continue;
      const x = 20 + (placeOf(ns) - this.first) * wide, isRight = x > this.drawn - 110;
      const text = `${key} ${shortTime(ns)}`, from = isRight ? x - 3 - text.length * 7 : x + 3;
      let line = 0;
      while (ends[line] > from) line++;
      ends[line] = from + text.length * 7 + 6;
      plot.append(svg("path", { class: "mark", d: `M${x} ${14 + line * 14}V${bottom}` }));
      texts.push(svg("text", { class: "quiet", x: isRight ? x - 3 : x + 3, y: 12 + line * 14, "text-anchor": isRight ? "end" : "start" }, text));
    }
    plot.append(...texts);
  }
}
