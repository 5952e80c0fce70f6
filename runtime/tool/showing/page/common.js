// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code shared by all views: strings, colours, and the selected, hovered and searched
// functions.
"use strict";
const get = id => document.getElementById(id);

const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]];
function inUnit(ns, text) {
  if (ns < 0) return "-" + inUnit(-ns, text);
  for (const [factor, unit] of units)
    if (ns >= factor) return text(ns / factor) + " " + unit;
  return Math.round(ns) + " ns";
}
// Truncates instead of rounding, as the command does.
const time = ns => inUnit(ns, n => (Math.floor(n * 1000 + 1e-6) / 1000).toFixed(3));
const shortTime = ns => inUnit(ns, n => +n.toPrecision(4));
const count = n => n.toLocaleString("en");
const shortCount = n => n.toLocaleString("en", { notation: "compact" });
const plural = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

let trace;
const nameOf = f => f === ALL ? "all functions" : f === OTHERS ? "others" : trace.names[f];

// found: null, or an array: does the function with this index match the search?
const state = { chosen: -1, hovered: -1, found: null, time: null };
const views = []; // each has draw(), and optionally chosenChanged() and scopeChanged()
let drawing = false;
function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    for (const view of views) view.draw();
    keepAddress();
  });
}
// Passes the tooltip's contents to screen readers.
function say(text) {
  if (get("what").textContent !== text) get("what").textContent = text;
}
addEventListener("scroll", () => tip(null), true);
// Shows a tooltip. parts: { f, time, name, more }. If name is short, the full name follows.
function tip(parts, x, y) {
  const box = get("tip");
  box.hidden = !parts;
  if (!parts) return;
  const { f, time, more } = parts;
  const name = parts.name ?? formsOf(f).find(form => form.length <= 70) ?? formsOf(f).at(-1);
  const line = (text, kind) => {
    const p = document.createElement("p");
    p.className = kind;
    p.textContent = text;
    return p;
  };
  box.replaceChildren(line(time, "time"), line(name, "name"), ...more.filter(Boolean).map(text => line(text, "")));
  if (f >= 0 && trace.sources?.[f]) box.append(line(trace.sources[f], ""));
  if (f >= 0 && name !== nameOf(f)) box.append(line(nameOf(f), "whole"));
  const { offsetWidth: wide, offsetHeight: tall } = box;
  const left = x + 14 + wide < innerWidth ? x + 14 : Math.max(4, x - 14 - wide);
  const top = y + 18 + tall < innerHeight ? y + 18 : Math.max(4, y - 12 - tall);
  box.style.left = left + "px";
  box.style.top = top + "px";
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
// Changes the scope of all views.
function setScope(changes) {
  Object.assign(scope, changes);
  look();
  for (const view of views) view.scopeChanged?.();
  for (const view of views) view.chosenChanged?.();
  redraw();
}
function hover(f) {
  if (f === state.hovered) return;
  state.hovered = f;
  redraw();
}
// Does the function's box get a dim colour, because another function matches the search or
// is selected?
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
// Chooses hues so that functions that are adjacent in the table differ clearly.
function boxColor(f) {
  if (f < 0) return colors.line;
  let color = boxColors.get(f);
  if (!color) {
    color = `hsl(${Math.round((f * 137.508 + 20) % 360)},${colors.boxS},${colors.boxL})`;
    boxColors.set(f, color);
  }
  return color;
}
// A darker shade, so that narrow areas are visible.
function thinColor(f) {
  return boxColor(f).replace(/[0-9]+%\)/, lightness => (parseInt(lightness) - 18) + "%)");
}
// The colour for a change of the self time. part: the change divided by the total.
function changeColor(part) {
  const strength = Math.min(1, Math.sqrt(Math.abs(part)) * 2);
  if (strength < 0.02) return `hsl(0,0%,${colors.boxL})`;
  return `hsl(${part > 0 ? 12 : 212},${Math.round(20 + 65 * strength)}%,${parseInt(colors.boxL) - 4 * strength}%)`;
}
const themes = { auto: "system", light: "light", dark: "dark" };
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  get("theme").textContent = "Theme: " + themes[theme];
  get("theme").value = theme;
  readColors();
  redraw();
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

const font = "11px system-ui, sans-serif";
// Sets the canvas's resolution to the screen's, at the canvas's current size.
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
// Was most of this time tracing cost, on average? Such times get the prefix ~, as in
// `patchbay report`.
const isRough = (f, ns, calls = 1) => f >= 0 && ns !== null && trace.after.cost[f] * calls > ns;
const roughly = (f, ns, calls) => (isRough(f, ns, calls) ? "~" : "") + time(ns);

//===----------------------------------------------------------------------===//
// Shortened names
//===----------------------------------------------------------------------===//

// Short forms of a name, from the command, longest first. All except the last are unique.
// The last form is for boxes: the function's name without its scope.
const formsOf = f => trace.forms[f];

const widths = new Map(); // cache, by font and text, since measuring is slow
function widthOf(c, text) {
  let known = widths.get(c.font);
  if (!known) widths.set(c.font, known = new Map());
  let wide = known.get(text);
  if (wide === undefined) {
    if (known.size > 200000) known.clear();
    known.set(text, wide = c.measureText(text).width);
  }
  return wide;
}
// Avoids measuring most texts: no character is wider than the font's size, and few are
// narrower than a quarter of it.
function fits(c, text, width) {
  const size = parseFloat(c.font);
  return text.length * size <= width || (text.length * size / 4 <= width && widthOf(c, text) <= width);
}
// The first form that fits, otherwise the last form.
const fitting = (c, forms, width) => forms.find(form => fits(c, form, width)) ?? forms.at(-1);

// Writes text into a box. Cuts text that is too wide, and adds dots.
function label(c, forms, x, y, width) {
  if (width < 18) return;
  let text = Array.isArray(forms) ? fitting(c, forms, width) : forms;
  if (!fits(c, text, width)) {
    let low = 0, high = Math.min(text.length, Math.floor(width / 2));
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

// A name in a table. The full name is shown while the name is hovered, or has the focus by
// keys.
function nameButton(f) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.name = f;
  button.textContent = nameOf(f);
  button.onclick = () => choose(f);
  button.onfocus = () => say(nameOf(f));
  return button;
}
const measuring = document.createElement("canvas").getContext("2d");
// Shortens each name to the longest unique form that fits into one line. If no form fits,
// uses the shortest unique form.
function fitNames(table) {
  const head = table.querySelector("th.name"), buttons = table.querySelectorAll("[data-name]");
  if (!head || !head.clientWidth || !buttons.length) return;
  const style = getComputedStyle(buttons[0].parentElement);
  const room = head.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 1;
  // The shorthand property "font" is empty if properties of the font were set
  // separately.
  const { fontSize, fontFamily } = getComputedStyle(buttons[0]);
  measuring.font = `${fontSize} ${fontFamily}`;
  for (const button of buttons) {
    const f = +button.dataset.name, beside = button.dataset.beside;
    const text = fitting(measuring, formsOf(f).slice(0, -1),
                         room - (beside ? widthOf(measuring, beside) : 0) - (+button.dataset.indent || 0));
    if (button.textContent === text) continue;
    button.textContent = text;
    const isWhole = text === nameOf(f);
    button.title = isWhole ? "" : nameOf(f);
    if (isWhole) button.removeAttribute("aria-label");
    else button.setAttribute("aria-label", nameOf(f));
  }
}

// A canvas for the visible part of a tall drawing. The browser scrolls the drawing.
class Scroller {
  constructor(box) {
    this.box = box;
    this.canvas = box.querySelector("canvas");
    this.spacer = box.querySelector("div");
    box.addEventListener("scroll", redraw);
    box.addEventListener("pointerdown", () => { this.byPointer = true; }, true);
  }
  // Calls then() when the box gets the focus by keys, but not by the mouse.
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
