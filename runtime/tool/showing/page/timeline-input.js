// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles mouse, touch and keys of the timeline.

Object.assign(TimelineView.prototype, {
  listen() {
    this.listenTracks();
    this.listenMinimap();
    this.listenAxis();
    const actions = {
      in: () => this.zoom(0.5), out: () => this.zoom(2),
      left: () => this.pan(-0.5), right: () => this.pan(0.5),
      all: () => this.view(0, this.length), range: () => this.selectOrClear(), fold: () => this.foldAll(),
    };
    for (const button of document.querySelectorAll("#overview [data-do]"))
      button.onclick = actions[button.dataset.do];
    get("tracks").addEventListener("keydown", event => this.key(event));
    this.scroller.onFocus(() => {
      if (!this.cursor) this.move(0);
    });
    get("tracks").addEventListener("blur", () => tip(null));
  },

  listenTracks() {
    const box = get("tracks"), canvas = this.scroller.canvas, pointers = new Map();
    let drag = null;
    const place = event => {
      const at = canvas.getBoundingClientRect();
      return [event.clientX - at.left, event.clientY - at.top];
    };
    box.addEventListener("wheel", event => {
      const along = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.ctrlKey) this.zoom(1.0025 ** event.deltaY, this.timeAt(place(event)[0]));
      else if (along) this.pan(along / this.width);
      else return;
      event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("pointerdown", event => {
      pointers.set(event.pointerId, place(event));
      canvas.setPointerCapture(event.pointerId);
      drag = { x: place(event)[0], from: this.from, to: this.to, moved: false, choosing: event.shiftKey };
    });
    canvas.addEventListener("pointermove", event => {
      const [x, y] = place(event);
      if (pointers.size === 2 && pointers.has(event.pointerId)) {
        const gapOf = () => {
          const [a, b] = [...pointers.values()];
          return [Math.max(Math.abs(a[0] - b[0]), 8), (a[0] + b[0]) / 2];
        };
        const [before] = gapOf();
        pointers.set(event.pointerId, [x, y]);
        const [after, middle] = gapOf();
        this.zoom(before / after, this.timeAt(middle));
        drag.moved = true;
        return;
      }
      if (pointers.has(event.pointerId)) {
        pointers.set(event.pointerId, [x, y]);
        drag.moved ||= Math.abs(x - drag.x) > 4;
        if (drag.moved && drag.choosing) {
          this.select(this.timeAt(drag.x), this.timeAt(x), true);
        } else if (drag.moved) {
          const by = (drag.x - x) * (drag.to - drag.from) / this.width;
          this.view(drag.from + by, drag.to + by);
        }
      }
      this.point(x, y, event);
    });
    const up = event => {
      if (!pointers.delete(event.pointerId) || !drag) return;
      const [x, y] = place(event);
      if (event.type === "pointerup" && drag.moved && drag.choosing) {
        const a = this.timeAt(drag.x), b = this.timeAt(x);
        this.select(a, b);
      } else if (event.type === "pointerup" && !drag.moved) {
        this.click(this.at(x, y));
      }
      if (!pointers.size) drag = null;
      if (event.pointerType !== "mouse") tip(null);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("dblclick", event => {
      const at = this.at(...place(event));
      if (at?.span >= 0) this.zoomTo(at);
    });
    canvas.addEventListener("pointerleave", () => {
      state.time = null;
      hover(-1);
      tip(null);
      redraw();
    });
  },

  point(x, y, event) {
    state.time = this.timeAt(x);
    const at = this.at(x, y);
    const isCall = at && at.span >= 0;
    const f = isCall ? at.track.thread.rows[at.row].f[at.span] : -1;
    hover(f);
    tip(isCall ? this.parts(at) : null, event.clientX, event.clientY);
    say(isCall ? this.describe(at) : at ? at.track.title : "");
    redraw();
  },

  click(at) {
    if (!at) return;
    if (at.row === undefined) {
      at.track.folded = !at.track.folded;
    } else if (at.span >= 0) {
      this.cursor = at;
      say(this.describe(at));
      choose(at.track.thread.rows[at.row].f[at.span]);
    }
    redraw();
  },

  // Scrolls and zooms to a call, which is a result of callsOf().
  jump({ thread, row, span }) {
    const track = this.tracks.find(track => track.thread === thread);
    track.folded &&= !row;
    this.cursor = { track, row, span };
    this.zoomTo(this.cursor);
    get("overview").scrollIntoView({ block: "nearest" });
    this.showCursor();
  },

  // Sets the range of all views. While the user drags, sets only this view's range.
  select(a, b, isDragged) {
    const range = [Math.max(0, Math.min(a, b)), Math.min(this.length, Math.max(a, b))].map(Math.round);
    if (trace.before) {
      if (!isDragged) this.view(...range);
    } else if (isDragged) {
      scope.range = range;
      redraw();
    } else {
      setScope({ range });
    }
  },
  selectOrClear() {
    if (scope.range) setScope({ range: null });
    else this.select(this.from, this.to);
  },

  zoomTo({ track, row, span }) {
    const of = track.thread.rows[row], wide = Math.max(of.length[span], 10);
    this.view(of.start[span] - wide / 20, of.start[span] + wide * 1.05);
  },

  foldAll() {
    const folded = !this.tracks.every(track => track.folded);
    for (const track of this.tracks) track.folded = folded;
    redraw();
  },

  // Dragging on the axis also selects a range.
  listenAxis() {
    const axis = get("axis");
    let began = null;
    const at = x => this.timeAt(x - axis.getBoundingClientRect().left);
    axis.addEventListener("pointerdown", event => {
      axis.setPointerCapture(event.pointerId);
      began = event.clientX;
    });
    const select = isDragged => event => {
      if (began !== null && Math.abs(event.clientX - began) > 4) this.select(at(began), at(event.clientX), isDragged);
      if (!isDragged) began = null;
    };
    axis.addEventListener("pointermove", select(true));
    axis.addEventListener("pointerup", select(false));
  },

  listenMinimap() {
    const map = get("minimap");
    let began = null;
    const at = event => {
      const box = map.getBoundingClientRect();
      return (event.clientX - box.left) / box.width * this.length;
    };
    map.addEventListener("pointerdown", event => {
      map.setPointerCapture(event.pointerId);
      began = at(event);
    });
    map.addEventListener("pointermove", event => {
      state.time = at(event);
      if (began !== null && Math.abs(state.time - began) > this.length / 200)
        this.view(Math.min(began, state.time), Math.max(began, state.time));
      redraw();
    });
    map.addEventListener("pointerup", event => {
      const to = at(event), half = (this.to - this.from) / 2;
      if (Math.abs(to - began) <= this.length / 200) this.view(to - half, to + half);
      began = null;
    });
    map.addEventListener("pointerleave", () => {
      state.time = null;
      redraw();
    });
  },

  //===--------------------------------------------------------------------===//
  // Keys
  //===--------------------------------------------------------------------===//

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const actions = {
      "+": () => this.zoom(0.5, this.cursorTime()), "=": () => this.zoom(0.5, this.cursorTime()),
      "-": () => this.zoom(2, this.cursorTime()), w: () => this.zoom(0.5, this.cursorTime()),
      r: () => this.selectOrClear(), s: () => this.zoom(2, this.cursorTime()), a: () => this.pan(-0.25), d: () => this.pan(0.25),
      Home: () => this.view(0, this.length), f: () => this.cursor && this.zoomTo(this.cursor),
      ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1),
      ArrowDown: () => this.moveRow(1), ArrowUp: () => this.moveRow(-1),
      Enter: () => this.cursor && this.click(this.cursor),
      " ": () => this.cursor && this.click({ track: this.cursor.track }),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
    redraw();
  },
  cursorTime() {
    const middle = (this.from + this.to) / 2;
    if (!this.cursor) return middle;
    const { track, row, span } = this.cursor, of = track.thread.rows[row];
    const at = of.start[span] + of.length[span] / 2;
    return at >= this.from && at <= this.to ? at : middle;
  },
  // Moves the cursor to the next call of the row that is drawn at another position.
  move(by) {
    if (!this.cursor) {
      const track = this.tracks.find(t => t.thread.rows.some(row => row.size));
      if (!track) return;
      const row = track.folded ? 0 : track.thread.rows.findIndex(r => r.size);
      if (!track.thread.rows[row].size) return;
      const span = firstSpan(track.thread.rows[row], this.from);
      this.cursor = { track, row, span: Math.min(span, track.thread.rows[row].size - 1) };
    } else {
      const of = this.cursor.track.thread.rows[this.cursor.row];
      const least = of.start[this.cursor.span] + by * 2 / this.scale;
      let span = this.cursor.span + by;
      while (span > 0 && span < of.size - 1 && by * (of.start[span] - least) < 0) span += by;
      this.cursor.span = Math.max(0, Math.min(span, of.size - 1));
    }
    this.showCursor();
  },
  moveRow(by) {
    if (!this.cursor) return this.move(0);
    const { track, row, span } = this.cursor;
    const at = track.thread.rows[row].start[span];
    const places = this.tracks.flatMap(t => t.thread.rows.map((of, r) => ({ track: t, row: r, of })))
      .filter(p => p.of.size && (!p.track.folded || !p.row));
    const next = places[places.findIndex(p => p.track === track && p.row === row) + by];
    if (!next) return;
    const found = firstSpan(next.of, at);
    this.cursor = { track: next.track, row: next.row, span: Math.min(found, next.of.size - 1) };
    this.showCursor();
  },
  showCursor() {
    const { track, row, span } = this.cursor, of = track.thread.rows[row];
    const y = this.yOf(track, row), at = of.start[span];
    this.scroller.show(row ? y : y - headHeight, y + rowHeight);
    if (at + of.length[span] < this.from || at > this.to) {
      const half = (this.to - this.from) / 2;
      this.view(at - half, at + half);
    }
    hover(of.f[span]);
    const { left, top } = this.scroller.canvas.getBoundingClientRect();
    tip(this.parts(this.cursor), left + Math.max(0, (at - this.from) * this.scale),
        top + y + rowHeight - this.scroller.top);
    say(this.describe(this.cursor));
  },
});
