// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of functions, like `patchbay report` or `report --diff`.

const mostRows = 100;
// On a narrow screen, names first shrink to their minimum width in style.css. Then the table
// drops these columns in this order, each with its change, except the sorted column and the
// total.
const givesWay = ["p50", "p95", "p99", "unfinished", "average", "longest", "p", "self", "calls"];

class TableView {
  constructor() {
    this.table = document.querySelector("#functions table");
    this.order = trace.names.map((_, f) => f); // in the command's order
    this.sorted = null; // [column, largest first]
    this.all = false;
    this.columns = this.findColumns();
    this.box = document.querySelector("#functions .table");
    this.allColumns = false;
    this.head();
    get("all-columns").onclick = () => {
      this.allColumns = !this.allColumns;
      this.fit();
    };
    get("all-rows").onclick = () => {
      this.all = true;
      this.fill();
    };
    this.fill();
  }
  draw() {
    if (this.box.clientWidth !== this.fittedTo) this.fit();
  }

  // Chooses the columns that fit. Names get the remaining width.
  fit() {
    const heads = [...this.table.tHead.rows[0].cells];
    this.showAllBut(new Set());
    const room = this.fittedTo = this.box.clientWidth, away = new Set();
    if (!room) return;
    const least = parseFloat(getComputedStyle(heads[0]).minWidth);
    const widths = heads.slice(1).map(th => th.offsetWidth);
    let all = widths.reduce((sum, wide) => sum + wide, least);
    for (const key of givesWay) {
      if (all <= room) break;
      this.columns.forEach((column, i) => {
        if ((column.group ?? column.key) !== key || this.isSortedBy(key)) return;
        away.add(i);
        all -= widths[i];
      });
    }
    if (!this.allColumns) this.showAllBut(away);
    const titles = new Set(this.columns.filter((column, i) => away.has(i) && !column.isChange).map(column => column.title));
    get("columns").hidden = !away.size;
    get("left-out").textContent = this.allColumns ? "" : "Hidden columns: " + [...titles].join(", ");
    get("all-columns").textContent = this.allColumns ? "Fit columns to the page" : "Show";
    fitNames(this.table);
  }
  isSortedBy(key) { return this.sorted?.[0].replace("-change", "") === key; }
  showAllBut(away) {
    for (const row of [this.table.tHead.rows[0], ...this.table.tBodies[0].rows])
      for (let i = 1; i < row.cells.length; i++) {
        const isAway = away.has(i - 1);
        if (row.cells[i].hidden !== isAway) row.cells[i].hidden = isAway;
      }
  }

  // With two recordings, each figure is followed by its change.
  findColumns() {
    const { before } = trace, columns = [], after = key => seen.after[key];
    for (const [key, title] of [["calls", "calls"], ["total", "total"], ["self", "self"], ["average", "average"],
                                ["p50", "p50"], ["p95", "p95"], ["p99", "p99"], ["longest", "max"],
                                ["unfinished", "unfinished"]]) {
      const known = after(key).some(n => n !== null && (n || key !== "unfinished"));
      if (!known && key !== "calls") continue;
      const isCount = key === "calls" || key === "unfinished";
      const text = n => n === null || n === undefined ? "-" : isCount ? count(n) : time(n);
      const isSum = key === "total" || key === "self";
      const hasMark = f => !isCount && after(key)[f] !== null &&
        (isSum ? isRough(f, after("total")[f], after("calls")[f]) : isRough(f, after(key)[f]));
      columns.push({ key, title, of: f => after(key)[f], text: f => (hasMark(f) ? "~" : "") + text(after(key)[f]), hasMark,
                     share: isSum });
      if (!before || key === "p50" || key === "unfinished") continue;
      const change = f => after(key)[f] === null && before[key][f] === null ? null
        : (after(key)[f] ?? 0) - (before[key][f] ?? 0);
      columns.push({ key: key + "-change", group: key, title: "change", of: change, isChange: true, label: title + ", change",
                     text: f => change(f) === null ? "-" : !change(f) ? "0" : (change(f) > 0 ? "+" : "") + text(change(f)) });
    }
    if (trace.p)
      columns.push({ key: "p", title: "p", label: "p: probability of such a difference by chance", of: f => trace.p[f], isLess: true,
                     text: f => trace.p[f] === null ? "-" : trace.p[f] < 0.001 ? "<0.001" : trace.p[f].toFixed(3) });
    return columns;
  }

  head() {
    const tr = this.table.tHead.rows[0];
    const add = (title, name, sort) => {
      const th = document.createElement("th"), button = document.createElement("button");
      th.scope = "col";
      if (name) th.className = name;
      button.type = "button";
      button.textContent = title;
      button.onclick = sort;
      th.append(button);
      tr.append(th);
      return th;
    };
    add("function", "name", () => this.sort("name")).dataset.key = "name";
    for (const column of this.columns) {
      const th = add(column.title, "", () => this.sort(column.key));
      th.dataset.key = column.key;
      if (column.label) th.firstChild.setAttribute("aria-label", column.label);
    }
  }
  sort(key) {
    const largestFirst = this.sorted?.[0] === key ? !this.sorted[1] : key !== "name" && key !== "p";
    this.sorted = [key, largestFirst];
    this.arrange(key, largestFirst);
    for (const th of this.table.tHead.rows[0].cells) {
      const is = th.dataset.key === key;
      if (is) th.setAttribute("aria-sort", largestFirst ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
      th.firstChild.textContent = (th.dataset.key === "name" ? "function" : this.columns.find(c => c.key === th.dataset.key).title) +
        (is ? largestFirst ? " ▼" : " ▲" : "");
    }
    this.fill();
  }
  // Until the user sorts the table, the whole recording has the command's order, and a part
  // of the recording is sorted by total.
  scopeChanged() {
    if (this.sorted) this.arrange(...this.sorted);
    else if (isPart()) this.arrange(trace.noCalls ? "calls" : "total", true);
    else this.order.sort((a, b) => a - b);
    this.fill();
  }
  arrange(key, largestFirst) {
    const column = this.columns.find(c => c.key === key), sign = largestFirst ? -1 : 1;
    const size = n => column.isChange ? Math.abs(n) : n;
    this.order.sort((a, b) => {
      if (key === "name") return sign * (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);
      const of = [column.of(a), column.of(b)];
      // Unknown values come last in both directions.
      if (of[0] === null || of[1] === null) return (of[0] === null) - (of[1] === null) || a - b;
      return sign * (size(of[0]) - size(of[1])) || a - b;
    });
  }

  fill() {
    const isHidden = f => (state.found && !state.found[f]) || (isPart() && !seen.after.calls[f]) ||
      (scope.hide && trace.waiting.has(f));
    const body = this.table.tBodies[0], listed = this.order.filter(f => !isHidden(f));
    for (const column of this.columns)
      column.most = column.share ? listed.reduce((most, f) => Math.max(most, column.of(f) ?? 0), 1) : 0;
    body.replaceChildren();
    for (const f of this.all ? listed : listed.slice(0, mostRows)) body.append(this.row(f));
    const more = this.all ? 0 : Math.max(0, listed.length - mostRows);
    get("more").textContent = !listed.length ? "none" : more ? `and ${count(more)} more` : "";
    get("all-rows").hidden = !more;
    this.fit();
  }
  row(f) {
    const tr = document.createElement("tr"), name = document.createElement("td");
    const button = nameButton(f);
    tr.dataset.function = f;
    name.className = "name";
    tr.onpointerenter = () => hover(f);
    tr.onpointerleave = () => hover(-1);
    name.append(button);
    const module = trace.modules[trace.module[f]];
    if (module && trace.modules.length > 1) {
      const of = document.createElement("span");
      of.className = "module";
      button.dataset.beside = of.textContent = " " + module;
      name.append(of);
    }
    tr.append(name);
    for (const column of this.columns) {
      const td = document.createElement("td"), n = column.of(f);
      td.textContent = column.text(f);
      if (column.hasMark?.(f)) td.title = "inexact: most of the measured time was the cost of tracing";
      if (column.isChange && n) td.className = n > 0 ? "more" : "less";
      if (column.share && n) {
        const share = document.createElement("span");
        share.className = "share";
        share.style.width = 100 * n / column.most + "%";
        td.append(share);
      }
      tr.append(td);
    }
    tr.classList.toggle("chosen", f === state.chosen);
    return tr;
  }
  chosenChanged() {
    for (const tr of this.table.tBodies[0].rows)
      tr.classList.toggle("chosen", +tr.dataset.function === state.chosen);
  }
}
