// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all views share: texts, colours, and what is chosen, pointed at and looked for.
"use strict";
const get = id => document.getElementById(id);

const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]];
function inUnit(ns, text) {
  if (ns < 0) return "-" + inUnit(-ns, text);
  for (const [factor, unit] of units)
    if (ns >= factor) return text(ns / factor) + " " + unit;
  return Math.round(ns) + " ns";
}
// As the command writes it: cut, not rounded.
const time = ns => inUnit(ns, n => (Math.floor(n * 1000 + 1e-6) / 1000).toFixed(3));
const shortTime = ns => inUnit(ns, n => +n.toPrecision(4));
const count = n => n.toLocaleString("en");
const shortCount = n => n.toLocaleString("en", { notation: "compact" });
const plural = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

let trace;
const nameOf = f => f === ALL ? "all functions" : f === OTHERS ? "others" : trace.names[f];

// found: null, or for each function whether it is what somebody looks for.
const state = { chosen: -1, hovered: -1, found: null, time: null };
const views = []; // each has draw(), and is told by chosenChanged() if it has that
let drawing = false;
function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    for (const view of views) view.draw();
  });
}
function say(text) {
  if (get("what").textContent !== text) get("what").textContent = text;
}
function choose(f) {
  if (f < 0) f = -1;
  if (f === state.chosen) return;
  state.chosen = f;
  get("chosen-line").hidden = f < 0;
  get("chosen").textContent = f < 0 ? "" : nameOf(f);
  for (const view of views) view.chosenChanged?.();
  redraw();
}
function hover(f) {
  if (f === state.hovered) return;
  state.hovered = f;
  redraw();
}
// Whether a box steps back, since others are looked for.
function isOther(f) {
  if (state.found) return f < 0 || !state.found[f];
  return state.chosen >= 0 && f !== state.chosen;
}

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

let colors = {}, boxColors = new Map();
function readColors() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue("--" + name).trim();
  for (const name of ["text", "back", "quiet", "line", "panel", "accent", "bar", "mark"])
    colors[name] = of(name);
  colors.boxS = of("box-s");
  colors.boxL = of("box-l");
  boxColors = new Map();
}
// Functions side by side in the table have hues that are far apart.
function boxColor(f) {
  if (f < 0) return colors.line;
  let color = boxColors.get(f);
  if (!color) {
    color = `hsl(${Math.round((f * 137.508 + 20) % 360)},${colors.boxS},${colors.boxL})`;
    boxColors.set(f, color);
  }
  return color;
}
// The same, for what is too narrow to be seen in that.
function thinColor(f) {
  return boxColor(f).replace(/[0-9]+%\)/, lightness => (parseInt(lightness) - 18) + "%)");
}
// By how much the time of its own has changed, of all that is there.
function changeColor(part) {
  const strength = Math.min(1, Math.sqrt(Math.abs(part)) * 2);
  if (strength < 0.02) return `hsl(0,0%,${colors.boxL})`;
  return `hsl(${part > 0 ? 12 : 212},${Math.round(20 + 65 * strength)}%,${parseInt(colors.boxL) - 4 * strength}%)`;
}
const themes = { auto: "as the system's", light: "light", dark: "dark" };
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  get("theme").textContent = "Colours: " + themes[theme];
  get("theme").value = theme;
  readColors();
  redraw();
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

const font = "11px system-ui, sans-serif";
// Makes the canvas as large as it is shown, in the screen's own pixels.
function context(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
  if (height !== undefined) canvas.style.height = height + "px";
  const tall = height ?? canvas.clientHeight;
  const w = Math.round(width * ratio), h = Math.round(tall * ratio);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, tall);
  c.font = font;
  c.textBaseline = "middle";
  return { c, width, height: tall };
}
// What names have in common says nothing in a narrow box: all of a name, what is behind
// a part that it shares with a quarter of all functions, and the last part of a C++ name.
class NameForms {
  constructor(names) {
    this.names = names;
    this.known = new Map();
    const functions = new Map(); // by what their names begin with
    for (const name of names)
      for (const prefix of this.prefixes(name))
        functions.set(prefix, (functions.get(prefix) ?? 0) + 1);
    const least = Math.max(2, names.length / 4);
    this.shared = new Set([...functions].filter(([, n]) => n >= least).map(([prefix]) => prefix));
  }
  // Without parameters and template arguments.
  plain(name) { return name.replace(/[(<].*/, ""); }
  prefixes(name) {
    const plain = this.plain(name);
    return [...plain.matchAll(/::|_|\./g)].filter(({ index }) => index)
      .map(({ index, 0: border }) => plain.slice(0, index + border.length));
  }
  of(f) {
    const name = this.names[f], plain = this.plain(name);
    if (!this.known.has(f)) {
      const cut = Math.max(0, ...this.prefixes(name).filter(p => this.shared.has(p)).map(p => p.length));
      const last = plain.lastIndexOf("::") + 2, all = [name];
      if (cut && cut < plain.length) all.push("…" + name.slice(cut));
      if (last > Math.max(cut, 1) && last < plain.length) all.push("…" + name.slice(last));
      this.known.set(f, all);
    }
    return this.known.get(f);
  }
}
let nameForms;
const formsOf = f => (nameForms ??= new NameForms(trace.names)).of(f);

// The first of its forms that fits; of the last one, if it is wider than its box, the
// beginning, and dots. Measuring takes long, so text that must fit, and what cannot be
// part of what does, are not measured.
function label(c, forms, x, y, width) {
  if (width < 18) return;
  let text = forms;
  if (Array.isArray(forms))
    text = forms.find(form => form.length * 11 <= width ||
      (form.length * 3 <= width && c.measureText(form).width <= width)) ?? forms.at(-1);
  const most = Math.floor(width / 3);
  if (text.length > most) text = text.slice(0, most);
  if (text.length * 11 > width && c.measureText(text).width > width) {
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (c.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
      else high = middle - 1;
    }
    if (!low) return;
    text = text.slice(0, low) + "…";
  }
  c.fillText(text, x, y);
}

// A canvas that shows what of a tall drawing can be seen; the browser scrolls it.
class Scroller {
  constructor(box) {
    this.box = box;
    this.canvas = box.querySelector("canvas");
    this.spacer = box.querySelector("div");
    box.addEventListener("scroll", redraw);
    box.addEventListener("pointerdown", () => { this.byPointer = true; }, true);
  }
  // Calls back when the box gets the focus by keys: the mouse says itself where it is.
  onFocus(then) {
    this.box.addEventListener("focus", () => {
      if (!this.byPointer) then();
    });
    this.box.addEventListener("blur", () => { this.byPointer = false; });
  }
  get top() { return this.box.scrollTop; }
  begin(tall) {
    const most = parseFloat(getComputedStyle(this.box).maxHeight) || 600;
    const seen = Math.min(tall, most);
    this.spacer.style.height = Math.max(0, tall - seen) + "px";
    return context(this.canvas, seen);
  }
  show(top, bottom) {
    const seen = this.canvas.clientHeight;
    if (top < this.top) this.box.scrollTop = top;
    else if (bottom > this.top + seen) this.box.scrollTop = bottom - seen;
  }
}
