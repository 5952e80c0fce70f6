// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The selected function's calls, slowest first, and how its slow calls differ from its
// other calls.

const mostCalls = 20;

class CallsView {
  constructor() {
    get("all-calls").onclick = () => this.list(10 * mostCalls);
    this.chosenChanged();
  }
  draw() { fitNames(get("outliers")); }
  chosenChanged() {
    const none = state.chosen < 0 || !!trace.noCalls || !page.timeline;
    get("calls-of").hidden = get("outliers-of").hidden = none;
    if (none) return;
    this.calls = callsOf(state.chosen);
    this.list(mostCalls);
    this.outliers();
  }

  list(most) {
    const body = get("calls").tBodies[0], all = this.calls.length;
    const hasNotes = this.calls.slice(0, most).some(({ thread, row, span }) => thread.rows[row].notes.has(span));
    setHead(get("calls"), ["duration", "at", "thread", ...(hasNotes ? ["details"] : [])], 2);
    body.replaceChildren();
    for (const call of this.calls.slice(0, most)) {
      const row = call.thread.rows[call.row], button = document.createElement("button");
      button.type = "button";
      button.textContent = roughly(state.chosen, row.busy[call.span]) + (row.flags[call.span] ? " at least" : "");
      button.onclick = () => page.timeline.jump(call);
      const texts = [button, moment(row.start[call.span]), call.thread.name];
      if (hasNotes) texts.push(this.note(row.notes.get(call.span) ?? ""));
      const tr = cells(body, texts);
      for (const td of [...tr.cells].slice(2)) td.className = "text";
    }
    const missing = isPart() ? seen.shorter : seen.after.calls[state.chosen] - all;
    get("calls-note").textContent = (all ? "Click a duration to see the call in the timeline. " : "") +
      (missing > 0 ? `Calls of less than ${shortTime(trace.resolution)} are summed in the timeline, and not listed.` : "");
    get("all-calls").hidden = all <= most || most > mostCalls;
    get("all-calls").textContent = `Show ${count(Math.min(10 * mostCalls, all))} of ${count(all)}`;
  }

  note(text) {
    const div = document.createElement("div");
    div.textContent = text.split("; called by ")[0];
    div.title = text;
    return div;
  }

  // The limit for slow calls, as in `patchbay outliers`: the 99th percentile. With few
  // calls, only the slowest call is above the limit.
  limit() {
    const timed = this.calls.filter(({ thread, row, span }) => isTimed(thread.rows[row], span));
    const calls = isPart() ? timed.length : seen.after.calls[state.chosen] - seen.after.unfinished[state.chosen];
    const usual = timed[Math.min(Math.max(1, Math.floor(calls / 100)), timed.length - 1)];
    return usual ? Math.floor(usual.thread.rows[usual.row].busy[usual.span] * 65 / 64) + 1 : 1;
  }
  outliers() {
    const least = this.limit(), tree = outliersOf(state.chosen, least), { after, before } = tree;
    const body = get("outliers").tBodies[0], [slow, others] = [after.calls[0], before.calls[0]];
    const isNone = get("outliers").parentElement.hidden = !slow || !others;
    get("outliers-note").textContent = isNone ? "No call is much slower than the others."
      : `${plural(slow, "slow call")} of ${time(least)} or more, on average ${roughly(state.chosen, after.total[0] / slow)}; ` +
        `${plural(others, "other")}, on average ${roughly(state.chosen, before.total[0] / others)}. Times are per call; ` +
        "callees are below their caller.";
    get("outliers-command").textContent = `patchbay outliers -f '${nameOf(state.chosen)}' ${trace.directory}`;
    setHead(get("outliers"), ["function", "more", "itself", "slow", "calls", "others", "calls"]);
    body.replaceChildren();
    if (isNone) return;
    const more = (key, i) => after[key][i] / slow - before[key][i] / others;
    // Show functions that make a difference, and their callers.
    const isShown = new Uint8Array(tree.size), enough = Math.abs(more("total", 0)) / 100;
    for (let i = tree.size - 1; i > 0; i--) {
      isShown[i] |= Math.abs(more("total", i)) >= enough || Math.abs(more("self", i)) >= enough;
      if (isShown[i]) isShown[tree.parent[i]] = 1;
    }
    const difference = ns => (ns < 0 ? "" : "+") + time(Math.round(ns));
    for (let i = 1; i < tree.size; i++) {
      if (!isShown[i]) continue;
      const isSummed = tree.f[i] === OTHERS, name = isSummed ? document.createElement("span") : nameButton(tree.f[i]);
      if (isSummed) name.textContent = othersText(0);
      const indent = Math.min(tree.depth[i] - 1, 12) * 12;
      name.style.marginLeft = indent + "px";
      name.dataset.indent = indent;
      const side = (of, calls) => [roughly(tree.f[i], of.total[i] / calls, of.calls[i] / calls), (of.calls[i] / calls).toFixed(2)];
      cells(body, [name, difference(more("total", i)), difference(more("self", i)), ...side(after, slow),
                   ...side(before, others)]).firstChild.className = "name";
    }
  }
}
