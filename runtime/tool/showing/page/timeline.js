// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows threads over time. The canvas draws only the visible part, so drawing is fast with
// any number of calls. Calls narrower than a pixel share the pixel. The more of the pixel
// the calls fill, the darker is its colour. The command has merged short calls of large
// recordings: see PageTimeline.h.

const rowHeight = 15, headHeight = 18, gap = 5;

class TimelineView {
  constructor() {
    this.scroller = new Scroller(get("tracks"));
    this.length = Math.max(trace.length, 1);
    this.from = 0;
    this.to = this.length;
    this.cursor = null; // { track, row, span }
    this.tracks = trace.threads.map(thread => ({ thread, folded: false, title: titleOf(thread), busy: 0 }));
    this.scopeChanged();
    // Unfold only the busiest threads, so that all threads are visible at first.
    let rows = 0;
    for (const track of this.tracks) {
      const more = track.thread.rows.length;
      track.folded = rows + more > 60 && rows > 0;
      if (!track.folded) rows += more;
    }
    this.listen();
    this.explain();
  }

  // Computes each thread's time in calls. For the minimap, also computes how many threads are
  // in calls in each interval. Moves the busiest thread to the top.
  scopeChanged() {
    if (this.hid === scope.hide) return;
    this.hid = scope.hide;
    const parts = this.minimap = new Float64Array(1024), width = this.length / parts.length;
    for (const track of this.tracks) {
      track.busy = 0;
      const rows = scope.hide ? track.thread.rows : track.thread.rows.slice(0, 1), isHidden = hiding();
      let shown = 0; // depth of the outermost call that is not hidden
      walk(rows, 0, Infinity, (deep, row, i) => {
        if (deep > shown) return;
        shown = deep;
        if (isHidden(deep, row.f[i])) return void shown++;
        const density = row.length[i] ? row.busy[i] / row.length[i] : 0;
        const end = row.start[i] + row.length[i];
        track.busy += row.busy[i];
        for (let p = Math.floor(row.start[i] / width); p < parts.length && p * width <= end; p++) {
          const overlap = Math.min(end, (p + 1) * width) - Math.max(row.start[i], p * width);
          parts[p] += Math.max(overlap, width / 50) * density / width;
        }
      });
    }
    this.tracks.sort((a, b) => b.busy - a.busy || b.thread.calls - a.thread.calls);
  }

  explain() {
    const summed = [];
    if (trace.noCalls) summed.push(trace.noCalls + ".");
    if (trace.resolution > 1)
      summed.push(`Successive calls of less than ${shortTime(trace.resolution)} ` +
        "share one box with their number.");
    if (trace.deeper)
      summed.push(`Threads have ${plural(trace.maxRows, "row")}; deeper calls are ` +
        "counted in the last row.");
    summed.push("Calls narrower than a pixel share the pixel; its fill shows the share of time in calls.");
    if (trace.noted) {
      const here = trace.notes.length;
      summed.push("Hover a call to see its arguments, result and waits" +
        (here < trace.noted ? `; the page has those of the ${count(here)} longest of ${count(trace.noted)} calls.` : "."));
    }
    get("summed").textContent = summed.join(" ");
  }

  height(track) {
    return headHeight + (track.folded ? Math.min(1, track.thread.rows.length)
                                      : track.thread.rows.length) * rowHeight + gap;
  }
  get scale() { return this.scroller.canvas.clientWidth / (this.to - this.from); }

  view(from, to) {
    const least = Math.min(50, this.length);
    const wide = Math.min(Math.max(to - from, least), this.length);
    if (to - from < least) from -= (wide - (to - from)) / 2;
    this.from = Math.max(0, Math.min(from, this.length - wide));
    this.to = this.from + wide;
    redraw();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.view(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  pan(part) {
    const by = (this.to - this.from) * part;
    this.view(this.from + by, this.to + by);
  }
  timeAt(x) { return this.from + x / this.scale; }

  //===--------------------------------------------------------------------===//
  // Drawing
  //===--------------------------------------------------------------------===//

  draw() {
    this.drawMinimap();
    this.drawAxis();
    const tall = this.tracks.reduce((sum, track) => sum + this.height(track), 0);
    const { c, width, height } = this.scroller.begin(Math.max(tall, 40));
    this.width = width;
    this.eachTrack(height, (track, y) => this.drawRows(c, track, y, height));
    this.drawRange(c, height);
    this.eachTrack(height, (track, y) => this.drawHead(c, track, y));
    this.drawCursor(c, height);
    const wide = this.to - this.from;
    get("range").textContent = `${rangeText(this.from, this.to)}: ${time(wide)}`;
    const [from, to] = scope.range ?? [this.from, this.to];
    get("part").hidden = trace.resolution === 1 || !(wide <= trace.resolution * 200 || (scope.range && seen.shorter));
    if (!get("part").hidden)
      get("part").querySelector("code").textContent =
        "patchbay report --html part.html --from " + this.absolute(from) + " --to " +
        this.absolute(to + 1) + " " + trace.directory;
  }
  // The time in the format of --from: seconds of CLOCK_MONOTONIC.
  absolute(at) {
    const ns = BigInt(trace.begin) + BigInt(Math.floor(at));
    return `${ns / 1000000000n}.${String(ns % 1000000000n).padStart(9, "0")}`;
  }

  // Calls then() for each visible track.
  eachTrack(height, then) {
    let y = -this.scroller.top;
    for (const track of this.tracks) {
      const next = y + this.height(track);
      if (next > 0 && y < height) then(track, y);
      y = next;
    }
  }

  drawHead(c, track, y) {
    const { thread } = track;
    c.fillStyle = colors.text;
    const here = this.cursor?.track === track;
    const share = track.busy / this.length;
    label(c, `${track.folded ? "▸" : "▾"} ${track.title}: ${plural(thread.calls, "call")}` +
      (trace.noCalls ? "" : `, in calls ${(100 * share).toFixed(1)} % of the time`) +
      (track.folded && thread.rows.length > 1 ? `, ${thread.rows.length} rows` : ""),
      4, y + headHeight / 2, this.width - 8);
    if (here) {
      c.fillStyle = colors.accent;
      c.fillRect(0, y, 3, this.height(track) - gap);
    }
    c.fillStyle = colors.line;
    c.fillRect(0, y + this.height(track) - 3, this.width, 1);
  }
  drawRows(c, { folded, thread }, y, height) {
    const rows = folded ? thread.rows.slice(0, 1) : thread.rows;
    rows.forEach((row, i) => {
      const top = y + headHeight + i * rowHeight;
      if (top < height && top + rowHeight > 0) this.drawRow(c, row, top, height);
    });
  }

  drawRow(c, row, top) {
    const { scale, from, to } = this, tall = rowHeight - 1;
    let pixel = -1, filled = 0, longest = 0, of = -1;
    const flush = () => {
      if (pixel < 0) return;
      c.globalAlpha = (isOther(of) ? 0.4 : 1) * Math.max(0.5, Math.min(1, filled));
      c.fillStyle = of === state.hovered || of === state.chosen ? colors.accent : thinColor(of);
      c.fillRect(pixel, top, 1, tall);
      c.globalAlpha = 1;
      pixel = -1;
    };
    for (let i = firstSpan(row, from); i < row.size && row.start[i] <= to; i++) {
      const x = (row.start[i] - from) * scale, wide = row.length[i] * scale;
      if (wide < 1.5) {
        const at = Math.max(0, Math.floor(x));
        if (at !== pixel) {
          flush();
          pixel = at;
          filled = longest = 0;
          of = row.f[i];
        }
        filled += row.busy[i] * scale;
        if (row.busy[i] > longest) {
          longest = row.busy[i];
          of = row.f[i];
        }
        continue;
      }
      flush();
      this.drawBox(c, row, i, Math.max(x, -2), Math.min(x + wide, this.width + 2), top, tall);
    }
    flush();
  }
  drawBox(c, row, i, left, right, top, tall) {
    const f = row.f[i], wide = right - left - (right - left > 3 ? 0.7 : 0);
    const many = row.calls[i] > 1;
    const step = isOther(f) ? 0.4 : 1;
    c.globalAlpha = step * (many ? Math.max(0.45, Math.min(1, row.busy[i] / row.length[i])) : 1);
    c.fillStyle = boxColor(f);
    c.fillRect(left, top, wide, tall);
    c.globalAlpha = 1;
    if (row.flags[i]) hatch(c, left, top, wide, tall);
    if (many) {
      c.fillStyle = colors.quiet;
      for (let x = left; x < right - 2; x += 4) c.fillRect(x, top + tall - 1, 2, 1);
    }
    if (f === state.hovered || f === state.chosen) outline(c, left, top, wide, tall);
    c.fillStyle = many && step === 1 && row.busy[i] < 0.6 * row.length[i] ? colors.text : "#111";
    if (step < 1) c.fillStyle = colors.text;
    const from = Math.max(left, 0) + 3;
    const room = Math.min(right, this.width) - from - 3;
    if (room < 18) return;
    const forms = many ? formsOf(f).map(form => `${shortCount(row.calls[i])} × ${form} …`) : formsOf(f);
    label(c, forms, from, top + tall / 2 + 0.5, room);
  }

  drawCursor(c, height) {
    if (this.cursor) {
      const { track, row, span } = this.cursor;
      const y = this.yOf(track, row) - this.scroller.top, of = track.thread.rows[row];
      const x = (of.start[span] - this.from) * this.scale;
      c.lineWidth = 2;
      c.strokeStyle = colors.text;
      c.strokeRect(x - 1, y - 1, Math.max(of.length[span] * this.scale, 3) + 2, rowHeight + 1);
    }
    if (state.time === null) return;
    c.fillStyle = colors.mark;
    c.fillRect((state.time - this.from) * this.scale, 0, 1, height);
  }
  // Dims everything outside of the selected range.
  drawRange(c, height) {
    if (!scope.range) return;
    const [left, right] = scope.range.map(at => (at - this.from) * this.scale), wide = c.canvas.clientWidth;
    c.fillStyle = colors.back;
    c.globalAlpha = 0.65;
    if (left > 0) c.fillRect(0, 0, left, height);
    if (right < wide) c.fillRect(right, 0, wide - right, height);
    c.globalAlpha = 1;
    c.fillStyle = colors.mark;
    c.fillRect(left - 1, 0, 2, height);
    c.fillRect(right - 1, 0, 2, height);
  }

  drawMinimap() {
    const { c, width, height } = context(get("minimap"));
    const most = Math.max(...this.minimap, 0.001), parts = this.minimap.length;
    c.fillStyle = colors.quiet;
    c.globalAlpha = 0.55;
    c.beginPath();
    c.moveTo(0, height);
    this.minimap.forEach((busy, i) => {
      const y = height - (busy ? Math.max(1, busy / most * (height - 4)) : 0);
      c.lineTo(i / parts * width, y);
      c.lineTo((i + 1) / parts * width, y);
    });
    c.lineTo(width, height);
    c.fill();
    c.globalAlpha = 1;
    const shown = state.chosen >= 0 ? state.chosen : state.hovered;
    if (shown >= 0) {
      const activity = trace.activity[shown];
      const wide = Math.max(trace.activityPart / this.length * width, 1);
      const top = Math.max(...activity.map(([, n]) => n));
      c.fillStyle = colors.accent;
      for (const [part, n] of activity) {
        const x = (trace.activityBegin + part * trace.activityPart) / this.length * width;
        const tall = 3 + n / top * (height - 8);
        c.fillRect(x, height - tall, wide, tall);
      }
    }
    const left = this.from / this.length * width, right = this.to / this.length * width;
    c.fillStyle = colors.back;
    c.globalAlpha = 0.6;
    c.fillRect(0, 0, left, height);
    c.fillRect(right, 0, width - right, height);
    c.globalAlpha = 1;
    c.strokeStyle = colors.accent;
    c.lineWidth = 2;
    c.strokeRect(left + 1, 1, Math.max(right - left - 2, 1), height - 2);
    if (state.time !== null) {
      c.fillStyle = colors.mark;
      c.fillRect(state.time / this.length * width, 0, 1, height);
    }
  }

  step(width) {
    const least = (this.to - this.from) / Math.max(1, width / 90);
    const power = 10 ** Math.floor(Math.log10(least));
    return Math.max(1, [1, 2, 5, 10].find(n => n * power >= least) * power);
  }
  // Ticks, each with the position of its label: after the tick, or before the tick if the
  // label would be cut off, or null if the label does not fit.
  ticks(c, width) {
    const all = [], step = this.step(width);
    const first = Math.ceil((this.from + trace.beginAfter) / step) * step - trace.beginAfter;
    for (let at = first, end = 0; at <= this.to; at += step) {
      const x = (at - this.from) * this.scale, text = shortAt(at, step);
      const wide = c.measureText(text).width;
      const left = x + 4 + wide <= width ? x + 4 : x - 4 - wide >= end ? x - 4 - wide : null;
      if (left !== null) end = left + wide + 4;
      all.push({ x, text, left, right: left + wide });
    }
    return all;
  }
  drawAxis() {
    const { c, width, height } = context(get("axis"));
    c.fillStyle = colors.quiet;
    for (const { x, text, left } of this.ticks(c, width)) {
      c.fillRect(x, 0, 1, height);
      if (left !== null) c.fillText(text, left, height / 2);
    }
    this.drawRange(c, height);
    if (state.time === null) return;
    const x = (state.time - this.from) * this.scale;
    const text = shortAt(state.time, this.step(width) / 100);
    const wide = c.measureText(text).width + 8;
    const left = Math.max(0, Math.min(x - wide / 2, width - wide));
    c.fillStyle = colors.mark;
    c.fillRect(left, 0, wide, height);
    c.fillStyle = colors.back;
    c.fillText(text, left + 4, height / 2);
  }

  // The strings in the visible part, for tests.
  get texts() {
    const all = [];
    for (const track of this.tracks) {
      all.push(`${track.folded ? "folded " : ""}${track.title}`);
      track.thread.rows.forEach((row, r) => {
        for (let i = firstSpan(row, this.from); i < row.size && row.start[i] <= this.to; i++)
          all.push(`row ${r}: ${this.describe({ track, row: r, span: i })}`);
      });
    }
    return all.join("\n");
  }

  //===--------------------------------------------------------------------===//
  // Lookups
  //===--------------------------------------------------------------------===//

  yOf(track, row) {
    let y = 0;
    for (const other of this.tracks) {
      if (other === track) break;
      y += this.height(other);
    }
    return y + headHeight + row * rowHeight;
  }
  // The track at a position on the canvas, and the row and the span if the position has a
  // span.
  at(x, y) {
    y += this.scroller.top;
    for (const track of this.tracks) {
      const tall = this.height(track);
      if (y >= tall) {
        y -= tall;
        continue;
      }
      const row = Math.floor((y - headHeight) / rowHeight);
      if (row < 0 || row >= (track.folded ? 1 : track.thread.rows.length)) return { track };
      return { track, row, span: this.spanAt(track.thread.rows[row], x) };
    }
    return null;
  }
  // The longest span among those that share a pixel.
  spanAt(row, x) {
    const from = this.timeAt(Math.floor(x)), to = this.timeAt(Math.floor(x) + 1);
    let best = -1;
    for (let i = firstSpan(row, from); i < row.size && row.start[i] < to; i++)
      if (best < 0 || row.length[i] > row.length[best]) best = i;
    return best;
  }
  // The parts of a tooltip. The time of a call excludes the cost of tracing.
  parts({ track, row, span }) {
    const of = track.thread.rows[row], within = of.within.get(span), many = of.calls[span] > 1;
    const end = of.flags[span] & 1 ? " until the recording ended"
      : of.flags[span] & 2 ? " at least, it was cut off" : "";
    const at = "at " + moment(of.start[span]);
    const deeper = within ? `; ${plural(within, "call")} deeper within` : "";
    const busy = `${time(of.busy[span])} of it in calls, the longest of ${nameOf(of.f[span])}; `;
    return {
      f: of.f[span], many,
      time: many ? `${plural(of.calls[span], "call")} in ${time(of.length[span])}`
        : trace.noCalls ? "called" : roughly(of.f[span], of.busy[span]) + end,
      more: [(many ? busy : "") + at + deeper, track.title, of.notes.get(span) ?? ""],
    };
  }
  describe(at) {
    const { f, many, time, more } = this.parts(at);
    return `${many ? "" : nameOf(f) + ": "}${time}, ${more.filter(Boolean).join("; ")}`;
  }
}

const titleOf = thread => thread.name +
  (trace.processes.length > 1 ? " of " + trace.processes[thread.process] : "");
// Rounds both times down, so that the end of the range is not after the recording.
function rangeText(from, to) {
  const step = Math.max((to - from) / 100, 1), power = 10 ** Math.floor(Math.log10(step));
  const text = at => shortAt(Math.floor((at + trace.beginAfter) / power) * power - trace.beginAfter, step);
  return `${text(from)} to ${text(to)}`;
}
// The time since the recording began, in the format of --from with a unit.
const moment = at => shortAt(at, at + trace.beginAfter < 1e6 ? 1 : 1000);
// at: a time relative to the timeline's begin.
function shortAt(at, step) {
  at += trace.beginAfter;
  for (const [factor, unit] of units)
    if (at >= factor) {
      const digits = Math.max(0, Math.ceil(Math.log10(factor / step) - 1e-9));
      return (at / factor).toFixed(digits) + " " + unit;
    }
  return Math.round(at) + " ns";
}
function hatch(c, left, top, wide, tall) {
  c.save();
  c.beginPath();
  c.rect(left, top, wide, tall);
  c.clip();
  c.strokeStyle = "rgba(0,0,0,.35)";
  c.lineWidth = 2;
  c.beginPath();
  for (let x = left - tall; x < left + wide; x += 7) {
    c.moveTo(x, top + tall);
    c.lineTo(x + tall, top);
  }
  c.stroke();
  c.restore();
}
function outline(c, left, top, wide, tall) {
  c.strokeStyle = colors.accent;
  c.lineWidth = 2;
  c.strokeRect(left + 1, top + 1, Math.max(wide - 2, 1), tall - 2);
}
