// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the data and creates the views.

// The callers and the callees of the selected function.
class AroundView {
  constructor() {
    this.callers = new FlameView(get("callers"), { empty: "no recorded caller" });
    this.callees = new FlameView(get("callees"), { empty: "no recorded callee" });
    // The top box is the function itself. A click on another box selects that function.
    for (const view of [this.callers, this.callees])
      view.pick = node => {
        const f = view.tree.f[node];
        if (f >= 0 && f !== state.chosen) choose(f);
        else view.zoom(node);
      };
    this.chosenChanged();
  }
  draw() {
    this.callers.draw();
    this.callees.draw();
    for (const id of ["caller-rows", "callee-rows"]) fitNames(get(id));
  }
  chosenChanged() {
    const f = state.chosen, none = f < 0 || !!trace.noCalls;
    get("around").hidden = none;
    get("around-none").hidden = !none || !!trace.noCalls;
    if (none) return;
    const callers = callersOf(seen.tree, f), callees = calleesOf(seen.tree, f);
    this.callers.show(callers);
    this.callees.show(callees);
    const missing = isPart() ? 0 : trace.after.calls[f] - callers.after.calls[0];
    get("callers-note").textContent = "Below each box are its callers. " +
      (missing > 0 ? `Of ${plural(seen.after.calls[f], "call")} ${count(missing)} are on rare paths, which are summed as others. ` : "");
    this.rows(get("caller-rows"), callers, "called by");
    this.rows(get("callee-rows"), callees, "called");
  }
  // Adds rows for the direct callers or callees of the selected function.
  rows(table, tree, title) {
    table.tBodies[0].replaceChildren();
    setHead(table, ["calls", "total", title], 2);
    const add = (calls, total, name) => {
      cells(table.tBodies[0], [count(calls), time(total), name]).lastChild.className = "name";
    };
    let calls = tree.after.calls[0], total = tree.after.total[0];
    for (let i = 1; i < tree.size; i = tree.end[i]) {
      add(tree.after.calls[i], tree.after.total[i],
          tree.f[i] === OTHERS ? othersText(tree.paths[i]) : nameButton(tree.f[i]));
      calls -= tree.after.calls[i];
      total -= tree.after.total[i];
    }
    if (title === "called by" && calls > 0) add(calls, Math.max(total, 0), "no recorded caller");
    if (!table.tBodies[0].rows.length) add(0, 0, "no recorded callee");
  }
}

function search(text) {
  const part = text.toLowerCase();
  state.found = part ? Uint8Array.from(trace.names, name => name.toLowerCase().includes(part)) : null;
  const matches = state.found ? state.found.reduce((sum, n) => sum + n, 0) : 0;
  get("found").textContent = state.found ? `${count(matches)} ${matches === 1 ? "match" : "matches"}` : "";
  return trace.names.indexOf(text) >= 0 ? trace.names.indexOf(text) : matches === 1 ? state.found.indexOf(1) : -1;
}

// Shows a message instead of a view that has no data.
function missing(section, why) {
  const p = document.createElement("p");
  p.className = "note";
  p.textContent = why;
  const body = section.classList.contains("body") ? section : section.querySelector(".body");
  body.before(p);
  body.hidden = true;
}

function start() {
  readColors();
  if (!trace.names.length) {
    get("failed").textContent = "No call was recorded.";
    get("failed").hidden = false;
  }
  trace.waiting = trace.noCalls ? new Set() : findWaiting(trace.tree);
  // Hide waiting functions at first only if the CPU time confirms that they wait: a function
  // without callees may compute instead. Hide nothing in a recording with one thread.
  const waited = [...trace.waiting].reduce((sum, f) => sum + trace.after.self[f], 0);
  scope.hide = scope.hidesFirst = trace.threads.length > 1 && trace.cpu < waited / 2;
  look();
  const table = new TableView();
  views.push(table);
  if (trace.noDurations) missing(get("durations"), trace.noDurations);
  else views.push(new HistogramView());
  if (trace.threads.some(t => t.rows.length)) {
    views.push(page.timeline = new TimelineView());
    if (trace.marks.length) views.push(page.marks = new MarksView());
  } else {
    missing(get("overview"), trace.noCalls || "No call was recorded.");
  }
  if (trace.noCalls) {
    missing(get("flame"), trace.noCalls);
  } else {
    const flame = page.flame = new FlameView(document.querySelector("#flame .scroller"), { upwards: true, empty: "No call was recorded." });
    flame.show(seen.tree);
    views.push(flame);
    get("sized").hidden = !trace.before;
    get("sized").querySelector("select").onchange = event => {
      flame.side = event.target.value;
      redraw();
    };
  }
  views.push(page.around = new AroundView(), page.calls = new CallsView(), new ScopeView());

  const find = text => {
    const only = search(text);
    table.fill();
    if (only >= 0) choose(only);
    redraw();
  };
  get("search").oninput = () => find(get("search").value);
  get("search").onkeydown = event => {
    if (event.key === "Enter" && state.found?.includes(1))
      choose(table.order.find(f => state.found[f]));
  };
  get("unchoose").onclick = () => choose(-1);
  get("theme").onclick = () => setTheme({ auto: "light", light: "dark", dark: "auto" }[get("theme").value || "auto"]);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColors();
    redraw();
  });
  document.addEventListener("keydown", event => {
    const isText = event.target.matches("input, select");
    if (event.key === "/" && !isText) {
      event.preventDefault();
      get("search").focus();
    } else if (event.key === "Escape") {
      get("search").value = "";
      find("");
      choose(-1);
      tip(null);
    }
  });
  new ResizeObserver(redraw).observe(document.body);
  (window.onhashchange = () => followAddress(find))();
  redraw();
}

// An interface for tests and for developer tools of browsers.
const page = window.patchbayPage = { state, choose, ready: false };
readTrace(get("data").textContent).then(read => {
  trace = page.trace = read;
  start();
  requestAnimationFrame(() => {
    page.ready = true;
    performance.mark("ready");
  });
}).catch(error => {
  get("failed").textContent = "The data of this page cannot be read: " + error +
    (typeof DecompressionStream === "undefined" ? ": use a browser of 2023 or later" : "");
  get("failed").hidden = false;
  page.ready = true;
});
