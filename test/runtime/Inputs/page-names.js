// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that the page shows in its boxes and tables; evaluated in the page.
//   pageNames.table()      checks the table of functions; returns a summary of its names and
//                          columns, or an error
//   pageNames.boxes(VIEW)  does the same for the boxes that a view draws
(() => {
  const { trace, timeline } = patchbayPage;
  const short = f => trace.forms[f].slice(0, -1); // each name is unique
  const own = f => trace.forms[f].at(-1);
  const said = (faults, text) => faults.length ? "wrong: " + faults.slice(0, 5).join("; ") : text;
  const some = n => n ? "some" : "none";

  const table = () => {
    const box = document.querySelector("#functions .table"), faults = [];
    const rows = [...box.querySelectorAll("tbody tr")].map(row => {
      const button = row.querySelector("td.name button"), f = +row.dataset.function;
      return { f, button, text: button.textContent, whole: trace.names[f], tall: row.offsetHeight };
    });
    if (new Set(rows.map(row => row.text)).size !== rows.length) faults.push("two rows look the same");
    const line = Math.min(...rows.map(row => row.tall));
    for (const { f, button, text, whole, tall } of rows) {
      if (!short(f).includes(text)) faults.push(`${text} is no form of ${whole}`);
      if (text !== whole && (button.title !== whole || button.ariaLabel !== whole)) faults.push(`${text} does not say ${whole}`);
      button.focus();
      if (document.querySelector("#what").textContent !== whole) faults.push(`${whole} is not shown to keyboard users`);
      // Only the shortest name may be ambiguous.
      if (tall > line + 4 && text !== short(f).at(-1)) faults.push(`${text} has more than one line`);
    }
    const shown = [...box.querySelectorAll("thead th")].filter(th => !th.hidden);
    if (box.scrollWidth > box.clientWidth) faults.push("the table is wider than its place");
    return said(faults, `${rows.length > 30 ? "many" : rows.length} names, ${some(rows.filter(r => r.text !== r.whole).length)} shorter, ` +
      `${rows.filter(r => r.tall > line + 4).length * 5 > rows.length ? "many" : "few"} of several lines: ` +
      shown.map(th => th.textContent).join(" "));
  };

  // Returns the function whose box is at a point of a view.
  const functionAt = (view, x, y) => {
    const at = view.at(x, y);
    if (view === timeline) return at && at.span >= 0 ? at.track.thread.rows[at.row].f[at.span] : -1;
    return at && !at[4] ? view.tree.f[at[0]] : -1;
  };
  const boxes = view => {
    const drawn = [], faults = [], canvas = view.scroller.canvas, fill = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...most) {
      if (this.canvas === canvas) drawn.push([text, functionAt(view, x, y)]);
      fill.call(this, text, x, y, ...most);
    };
    view.draw();
    CanvasRenderingContext2D.prototype.fillText = fill;
    let whole = 0, shorter = 0, cut = 0;
    for (const [text, f] of drawn) {
      if (f < 0) continue;
      // A box with the label "5 × main …" stands for several calls.
      const name = text.replace(/^[0-9.KM]+ × /, ""), isOf = form => name === form || name === form + " …";
      if (isOf(trace.names[f])) whole++;
      else if (trace.forms[f].some(isOf)) shorter++;
      else if (own(f).startsWith(name.replace(/ ?…$/, ""))) cut++;
      else faults.push(`${text} is in the box of ${trace.names[f]}`);
    }
    return said(faults, `${some(whole)} whole, ${some(shorter)} shorter`);
  };
  window.pageNames = { table, boxes };
  return "ready";
})()
