// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The controls of the scope. Keeps the page's state in its address, so that links can
// contain it:
// #search=...&function=...&range=FROM-TO&view=FROM-TO&thread=N&waiting=shown

class ScopeView {
  constructor() {
    const select = get("thread");
    select.append(new Option("all threads", -1));
    for (const { thread } of page.timeline?.tracks ?? [])
      select.append(new Option(titleOf(thread), trace.threads.indexOf(thread)));
    get("threads").hidden = trace.threads.length < 2 || !page.timeline || !!trace.before;
    select.onchange = () => setScope({ thread: +select.value });
    get("hiding").hidden = !trace.waiting.size;
    get("hide").onchange = () => setScope({ hide: get("hide").checked });
    get("hidden-names").textContent = [...trace.waiting].map(f => formsOf(f).at(-1)).join(", ");
    get("hiding").title = [...trace.waiting].map(nameOf).join(", ");
    get("no-range").onclick = () => setScope({ range: null });
    this.scopeChanged();
  }
  draw() {}
  scopeChanged() {
    get("thread").value = scope.thread;
    get("hide").checked = scope.hide;
    get("range-line").hidden = !scope.range;
    document.querySelector("[data-do=range]").textContent = scope.range ? "Clear range" : "Select this range";
    if (scope.range) get("selected-range").textContent = `${rangeText(...scope.range)} (${time(scope.range[1] - scope.range[0])})`;
    get("part-note").hidden = !isPart();
    get("part-note").textContent = "Figures are for the selected " +
      [scope.range && "range", scope.thread >= 0 && "thread"].filter(Boolean).join(" and ") +
      (scope.range ? "; percentiles are of whole calls that overlap the range." : ".") +
      (seen.shorter ? ` ${plural(seen.shorter, "call")} of less than ${shortTime(trace.resolution)} are merged below their callers, ` +
        "without rows in the table." : "");
  }
}

const pair = range => range.map(Math.round).join("-");
let keeping = null;
// Delays the change, since browsers limit how often the address may change.
function keepAddress() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const of = new URLSearchParams(), { timeline } = page;
    if (get("search").value) of.set("search", get("search").value);
    if (state.chosen >= 0) of.set("function", nameOf(state.chosen));
    if (scope.range) of.set("range", pair(scope.range));
    if (timeline && timeline.to - timeline.from < timeline.length) of.set("view", pair([timeline.from, timeline.to]));
    if (scope.thread >= 0) of.set("thread", scope.thread);
    if (trace.waiting.size && scope.hide !== scope.hidesFirst) of.set("waiting", scope.hide ? "hidden" : "shown");
    const text = of.toString() && "#" + of;
    if (text !== location.hash) history.replaceState(null, "", text || location.pathname + location.search);
  }, 200);
}
function followAddress(find) {
  const of = new URLSearchParams(location.hash.slice(1)), { timeline } = page;
  const range = key => {
    const [from, to] = (of.get(key) ?? "").split("-").map(Number);
    return from < to ? [from, to] : null;
  };
  const thread = Number(of.get("thread") ?? -1);
  setScope({
    range: timeline && !trace.before ? range("range") : null,
    thread: trace.threads[thread] && !trace.before ? thread : -1,
    hide: trace.waiting.size > 0 && (of.has("waiting") ? of.get("waiting") === "hidden" : scope.hidesFirst),
  });
  get("search").value = of.get("search") ?? "";
  find(get("search").value);
  if (of.has("function")) choose(trace.names.indexOf(of.get("function")));
  if (timeline) timeline.view(...range("view") ?? [0, timeline.length]);
}
