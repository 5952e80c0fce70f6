// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a tree as boxes, each as wide as its time: a flame graph (upwards), or an icicle
// graph (downwards). Children that are narrower than a pixel share one box.

const boxHeight = 19, mostOuter = 12;

class FlameView {
  constructor(box, { upwards, empty }) {
    this.scroller = new Scroller(box);
    this.upwards = upwards;
    this.empty = empty;
    this.tree = null;
    this.listen();
  }
  show(tree) {
    this.tree = tree;
    this.focus = 0;
    this.cursor = -1;
    this.laidOut = null;
    this.toRoot = true;
  }
  // Only the whole flame graph needs this: AroundView creates new trees of callers and
  // callees.
  scopeChanged() { this.show(seen.tree); }
  get sums() { return this.tree[this.side ?? "after"]; }

  zoom(node) {
    this.focus = Math.max(0, node);
    this.laidOut = null;
    this.toRoot = true;
    redraw();
  }

  // Returns boxes [node, left, width, level]. A box for several children that are too
  // narrow is [-1 - parent, left, width, level, number of children].
  layOut(width) {
    if (this.laidOut?.width === width && this.laidOut.sums === this.sums) return this.laidOut;
    const { tree, focus, sums } = this, outer = [];
    for (let i = tree.parent[focus]; i >= 0; i = tree.parent[i]) outer.unshift(i);
    if (outer.length > mostOuter) outer.splice(1, outer.length - mostOuter);
    const boxes = outer.map((node, level) => [node, 0, width, level]);
    const base = outer.length - tree.depth[focus];
    const lefts = [], widths = [], ends = [], thin = [];
    let levels = base + tree.depth[focus] + 1;
    const flush = rel => {
      const t = thin[rel];
      if (t) boxes.push([-1 - t.parent, t.left, Math.max(t.width, 1), base + t.deep, t.count]);
      thin[rel] = undefined;
    };
    for (let i = focus; i < tree.end[focus];) {
      const deep = tree.depth[i], rel = deep - tree.depth[focus];
      if (!rel) {
        lefts[0] = ends[0] = 0;
        widths[0] = width;
      } else {
        const parent = tree.parent[i], all = Math.max(sums.total[parent], 1);
        const part = Math.min(sums.total[i] / all * widths[rel - 1],
          lefts[rel - 1] + widths[rel - 1] - ends[rel - 1]);
        if (part >= 1 || thin[rel]?.parent !== parent) flush(rel);
        if (part < 1) {
          const t = thin[rel] ??= { parent, deep, left: ends[rel - 1], width: 0, count: 0 };
          t.width += Math.max(part, 0);
          t.count++;
          ends[rel - 1] += Math.max(part, 0);
          i = tree.end[i];
          continue;
        }
        lefts[rel] = ends[rel] = ends[rel - 1];
        widths[rel] = part;
        ends[rel - 1] += part;
      }
      boxes.push([i, lefts[rel], widths[rel], base + deep]);
      levels = Math.max(levels, base + deep + 1);
      i++;
    }
    thin.forEach((_, rel) => flush(rel));
    for (const box of boxes) levels = Math.max(levels, box[3] + 1);
    return this.laidOut = { width, sums, boxes, levels };
  }

  // The strings in the drawing, for tests.
  get texts() {
    const { boxes, width, levels } = this.layOut(this.scroller.canvas.clientWidth);
    const part = x => (100 * x / width).toFixed(2);
    return [...boxes].sort((a, b) => a[3] - b[3] || a[1] - b[1]).map(([node, left, wide, level, several]) =>
      `${this.describe(node, several)} @ ${part(left)} +${part(wide)} level ${level} of ${levels}`).join("\n");
  }

  y(level, levels) { return (this.upwards ? levels - 1 - level : level) * boxHeight; }

  draw() {
    if (!this.tree || this.scroller.box.hidden || !this.scroller.box.offsetParent) return;
    const wide = this.scroller.canvas.clientWidth, { boxes, levels } = this.layOut(wide);
    const { c, width, height } = this.scroller.begin(Math.max(levels, 1) * boxHeight + 2);
    if (this.toRoot) {
      this.toRoot = false;
      this.scroller.box.scrollTop = this.upwards ? levels * boxHeight : 0;
    }
    const top = this.scroller.top;
    for (const [node, left, part, level, several] of boxes) {
      const y = this.y(level, levels) - top;
      if (y < -boxHeight || y > height) continue;
      if (several) this.drawSeveral(c, left, y, part);
      else this.drawNode(c, node, left, y, part, level);
    }
    if (!this.sums.total[0] && !this.sums.calls[0]) {
      c.fillStyle = colors.quiet;
      c.fillText(this.empty, 6, height / 2, width - 12);
    }
  }
  drawSeveral(c, left, y, wide) {
    c.globalAlpha = 0.8;
    c.fillStyle = colors.line;
    c.fillRect(left, y + 1, Math.max(wide - 0.5, 0.5), boxHeight - 2);
    c.globalAlpha = 1;
  }
  drawNode(c, node, left, y, part, level) {
    const { tree } = this, f = tree.f[node], isOuter = tree.depth[node] < tree.depth[this.focus];
    const dim = isOther(f) || isOuter, wide = Math.max(part - 1, 0.7);
    c.globalAlpha = dim ? 0.45 : 1;
    c.fillStyle = this.color(node, f);
    c.fillRect(left, y + 1, wide, boxHeight - 1);
    c.globalAlpha = 1;
    if (tree.after.open[node] + tree.after.cutOff[node]) hatch(c, left, y + 1, wide, boxHeight - 1);
    if (f >= 0 && (f === state.hovered || f === state.chosen))
      outline(c, left, y + 1, wide, boxHeight - 1);
    if (node === this.cursor) {
      c.lineWidth = 2;
      c.strokeStyle = colors.text;
      c.strokeRect(left + 1, y + 2, Math.max(wide - 2, 1), boxHeight - 3);
    }
    c.fillStyle = dim || f < 0 ? colors.text : "#111";
    const text = f === ALL ? "all" : f === OTHERS ? othersText(tree.paths[node]) : nameOf(f);
    label(c, f >= 0 ? formsOf(f) : text, left + 4, y + boxHeight / 2 + 0.5, wide - 7);
  }
  color(node, f) {
    if (f < 0) return colors.line;
    const { after, before } = this.tree;
    if (!before) return boxColor(f);
    const all = Math.max(after.total[0], before.total[0], 1);
    return changeColor((after.self[node] - before.self[node]) / all);
  }

  at(x, y) {
    if (!this.laidOut) return null;
    y += this.scroller.top;
    const { boxes, levels } = this.laidOut;
    const level = this.upwards ? levels - 1 - Math.floor(y / boxHeight) : Math.floor(y / boxHeight);
    let found = null;
    for (const box of boxes)
      if (box[3] === level && x >= box[1] && x < box[1] + Math.max(box[2], 2)) found = box;
    return found;
  }
  parts(node, several) {
    const { tree } = this;
    if (several)
      return { f: -1, time: plural(several, "function"), more: [],
               name: `below ${nameOf(tree.f[-1 - node])}, each narrower than a pixel: zoom in` };
    const f = tree.f[node], { calls, total, self } = tree.after;
    return {
      f, name: f >= 0 ? undefined : f === ALL ? "all" : othersText(tree.paths[node]),
      time: roughly(f, total[node], calls[node]) + (total[0] ? `, ${(100 * total[node] / total[0]).toFixed(2)} %` : ""),
      more: [`${plural(calls[node], "call")}, ${time(self[node])} self time` + this.rest(node)],
    };
  }
  describe(node, several) {
    const { tree } = this, parts = this.parts(node, several);
    if (several) return `${parts.time} ${parts.name}`;
    const { calls, total, self } = tree.after;
    return `${parts.name ?? nameOf(parts.f)}: ${plural(calls[node], "call")}, ${roughly(parts.f, total[node], calls[node])}, ${time(self[node])} of it self time` +
      (!tree.before && total[0] ? `, ${(100 * total[node] / total[0]).toFixed(2)} %` : "") + this.rest(node);
  }
  rest(node) {
    const { tree } = this, { open, cutOff } = tree.after;
    let text = "";
    if (open[node]) text += `, ${count(open[node])} open when recording ended`;
    if (cutOff[node]) text += `, ${count(cutOff[node])} cut off`;
    if (tree.before)
      text += `; before: ${plural(tree.before.calls[node], "call")}, ${time(tree.before.total[node])}, ${time(tree.before.self[node])}`;
    return text;
  }

  listen() {
    const { canvas, box } = this.scroller;
    const find = event => {
      const at = canvas.getBoundingClientRect();
      return this.at(event.clientX - at.left, event.clientY - at.top);
    };
    canvas.addEventListener("pointermove", event => {
      const found = find(event);
      const f = found && !found[4] ? this.tree.f[found[0]] : -1;
      hover(f);
      tip(found ? this.parts(found[0], found[4]) : null, event.clientX, event.clientY);
      if (found) say(this.describe(found[0], found[4]));
    });
    canvas.addEventListener("pointerleave", () => {
      hover(-1);
      tip(null);
    });
    box.addEventListener("blur", () => tip(null));
    canvas.addEventListener("click", event => {
      const found = find(event);
      if (!found) return;
      if (found[4]) return this.zoom(-1 - found[0]);
      this.cursor = found[0];
      this.pick(found[0]);
    });
    box.addEventListener("keydown", event => this.key(event));
    this.scroller.onFocus(() => {
      if (this.tree && this.cursor < 0) this.moveTo(this.focus);
    });
  }
  pick(node) {
    this.zoom(node);
    if (this.tree.f[node] >= 0) choose(this.tree.f[node]);
  }

  key(event) {
    if (!this.tree || event.ctrlKey || event.altKey || event.metaKey) return;
    const [inner, outer] = this.upwards ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
    const actions = {
      [inner]: () => this.moveTo(this.cursor + 1 < this.tree.end[this.cursor] ? this.cursor + 1 : -1),
      [outer]: () => this.moveTo(this.tree.parent[this.cursor]),
      ArrowRight: () => this.moveTo(this.beside(1)), ArrowLeft: () => this.moveTo(this.beside(-1)),
      Enter: () => this.pick(this.cursor),
      Backspace: () => this.zoom(this.tree.parent[this.focus]), Home: () => {
        this.zoom(0);
        this.moveTo(0);
      },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    if (this.cursor < 0) this.cursor = this.focus;
    actions[event.key]();
  }
  beside(by) {
    const { tree, cursor } = this, parent = tree.parent[cursor];
    if (parent < 0) return -1;
    let before = -1;
    for (let i = parent + 1; i < tree.end[parent]; i = tree.end[i]) {
      if (by < 0 && i === cursor) return before;
      if (by > 0 && before === cursor) return i;
      before = i;
    }
    return -1;
  }
  moveTo(node) {
    if (node < 0) return;
    this.cursor = node;
    // Zoom out if the node has no box.
    const isIn = node >= this.focus && node < this.tree.end[this.focus];
    if (!isIn) this.zoom(node);
    const { boxes, levels } = this.layOut(this.scroller.canvas.clientWidth);
    let box = boxes.find(([n]) => n === node);
    if (!box) this.zoom(this.tree.parent[node]);
    else {
      const y = this.y(box[3], levels), { left, top } = this.scroller.canvas.getBoundingClientRect();
      this.scroller.show(y, y + boxHeight);
      tip(this.parts(node), left + box[1], top + y + boxHeight - this.scroller.top);
    }
    hover(this.tree.f[node]);
    say(this.describe(node));
    redraw();
  }
}

const othersText = paths => paths ? `${count(paths)} rarer paths, summed` : "short calls, summed";
