// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows marks and values of <patchbay/mark.h> above the threads: one row for all marks, and
// a row of steps for each name of values.

const markRow = 18, valueRow = 34;

class MarksView {
  constructor() {
    const rows = trace.marks.map(([name, areValues, all, times, threads, values]) => ({ areValues, all,
      events: times.map((at, i) => ({ name, at, value: areValues ? values[i] : null, thread: threads[i] })) }));
    // Rows are grouped by thread, so sort them by time.
    const byTime = rows => rows.flatMap(row => row.events).sort((a, b) => a.at - b.at);
    const marks = byTime(rows.filter(row => !row.areValues));
    this.rows = rows.filter(row => row.areValues).map(row => {
      const events = byTime([row]), all = events.map(({ value }) => value);
      return { events, least: Math.min(...all), most: Math.max(...all) };
    });
    if (marks.length) this.rows.unshift({ events: marks });
    const canvas = this.canvas = get("marks"), left = rows.filter(row => row.all > row.events.length);
    canvas.hidden = false;
    canvas.ariaLabel = rows.map(({ all, events: [{ name }], areValues }) =>
      `${name}: ${plural(all, areValues ? "value" : "mark")}`).join(", ");
    if (left.length) get("summed").textContent += " Marks and values: of " + left.map(({ all, events }) =>
      `${events[0].name} ${count(events.length)} of ${count(all)}`).join(", ") + ".";
    if (trace.marksLeftOut) get("summed").textContent += ` The first ${rows.length} names of marks and values have rows: ` +
      `${plural(trace.marksLeftOut, "mark")} of ${plural(trace.markNamesLeftOut, "other name")} ` +
      (trace.marksLeftOut === 1 ? "is" : "are") + " left out.";
    canvas.onpointermove = event => this.point(event);
    canvas.onpointerleave = () => tip(null);
  }
  height({ least }) { return least === undefined ? markRow : valueRow; }

  draw() {
    const { timeline } = page, tall = this.rows.reduce((sum, row) => sum + this.height(row), 0);
    const { c, width } = context(this.canvas, tall);
    let top = 0;
    for (const row of this.rows) {
      if (row.least === undefined) this.drawMarks(c, row, top, width);
      else this.drawValues(c, row, top, width);
      top += this.height(row);
    }
    timeline.drawRange(c, tall);
  }
  x(at) { return (at - page.timeline.from) * page.timeline.scale; }
  drawMarks(c, { events }, top, width) {
    let end = 0;
    events.forEach(({ name, at }, i) => {
      const x = this.x(at), next = events[i + 1];
      if (x < 0 || x > width) return;
      c.fillStyle = colors.accent;
      c.fillRect(x, top, 1, markRow);
      if (x < end) return;
      const room = (next ? Math.min(this.x(next.at), width) : width) - x - 8;
      c.fillStyle = colors.text;
      label(c, name, x + 4, top + markRow / 2, room);
      end = x + 4;
    });
  }
  drawValues(c, { events, least, most }, top, width) {
    // Near 2 ** 63, low + 1 may equal low, since numbers have 53 bits of precision.
    const low = Math.min(least, 0), range = Math.max(most, 0) - low || 1, tall = valueRow - 4;
    const y = value => top + 2 + tall * (1 - (value - low) / range);
    c.strokeStyle = colors.accent;
    c.lineWidth = 1;
    c.beginPath();
    events.forEach(({ at, value }, i) => {
      const x = this.x(at), end = Math.min(i + 1 < events.length ? this.x(events[i + 1].at) : width, width);
      if (end < 0 || x > width) return;
      if (i && x >= 0) c.lineTo(x, y(value));
      else c.moveTo(Math.max(x, 0), y(value));
      c.lineTo(end, y(value));
    });
    c.stroke();
    c.fillStyle = colors.text;
    label(c, `${events[0].name}: ${count(least)} to ${count(most)}`, 4, top + valueRow / 2, width - 8);
  }

  // Finds the mark next to the pointer, or the value at the pointer's time.
  at(x, y) {
    const row = this.rows.find(row => (y -= this.height(row)) < 0);
    if (!row) return null;
    const time = page.timeline.timeAt(x), { events } = row;
    let i = events.findLastIndex(({ at }) => at <= time);
    if (row.least !== undefined) return events[i] ?? null;
    if (i < 0 || (i + 1 < events.length && events[i + 1].at - time < time - events[i].at)) i++;
    return Math.abs(this.x(events[i].at) - x) < 8 ? events[i] : null;
  }
  parts({ name, at, value, thread }) {
    return { f: -1, time: value === null ? name : `${name} = ${count(value)}`, name: trace.threads[thread].name,
      more: ["at " + moment(at)] };
  }
  point(event) {
    const box = this.canvas.getBoundingClientRect(), at = this.at(event.clientX - box.left, event.clientY - box.top);
    const parts = at && this.parts(at);
    tip(parts, event.clientX, event.clientY);
    say(parts ? `${parts.time}, ${parts.name}, ${parts.more}` : "");
  }
  // The strings in the drawing, for tests.
  get texts() {
    return this.rows.flatMap(({ events }) => events.map(at => {
      const { time, name, more } = this.parts(at);
      return `${time}, ${name}, ${more}`;
    })).join("\n");
  }
}
