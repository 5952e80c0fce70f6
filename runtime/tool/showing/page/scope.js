// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scope is what all views show: a range of time, one thread or all threads, with or
// without functions that only wait. `seen` has the tree and the figures of the scope. Figures
// of the whole recording come from the command; all others are sums of the timeline's spans.

const scope = { range: null, thread: -1, hide: false };
let seen;

// Calls enter(depth, row, span) for each span that overlaps the time range, callers
// first.
function walk(rows, from, to, enter) {
  const next = rows.map(row => firstSpan(row, from)), ends = [Infinity];
  for (let deep = 0; deep >= 0;) {
    const row = rows[deep], i = next[deep];
    const start = row && i < row.size ? row.start[i] : NaN;
    // The next call may begin at the time at which a call ends.
    if (start <= to && (start < ends[deep] || (start === ends[deep] && !row.length[i]))) {
      enter(deep, row, i);
      next[deep]++;
      ends[++deep] = start + row.length[i];
    } else {
      deep--;
    }
  }
}
// The index of the first span that ends at the given time or later.
function firstSpan(row, at) {
  let low = 0, high = row.size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.start[middle] + row.length[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
function* threadsInScope() {
  for (const thread of trace.threads)
    if (scope.thread < 0 || trace.threads[scope.thread] === thread) yield thread;
}
const scopeTimes = () => scope.range ?? [0, Infinity];
// Is the span a single call with a known end?
const isTimed = (row, i) => row.calls[i] === 1 && !row.flags[i];

// Finds functions that mostly wait and that only such functions call, for example an accept
// loop, or the main function of a pool's workers.
function findWaiting({ f, end, after }) {
  const found = new Set();
  for (let root = 1; root < f.length; root = end[root]) {
    const path = [];
    for (let at = root; at >= 0 && f[at] >= 0;) {
      path.push(f[at]);
      if (after.self[at] >= 0.9 * after.total[at]) {
        if (after.total[root] >= trace.length / 2) path.forEach(f => found.add(f));
        break;
      }
      // Follow the first callee, which has the most time, since callees are sorted.
      const below = at + 1 < end[at] ? at + 1 : -1;
      at = below >= 0 && after.total[below] >= 0.9 * after.total[at] ? below : -1;
    }
  }
  // If all functions would be hidden, hide none.
  return f.every(f => f < 0 || found.has(f)) ? new Set() : found;
}

// Returns a predicate: do the views hide a call? A call of a waiting function is hidden if
// all its outer calls are hidden. Must be called for calls in order, each after its caller.
function hiding() {
  let hidden = 0; // number of hidden open calls
  return (deep, f) => {
    hidden = Math.min(hidden, deep);
    const is = scope.hide && hidden === deep && trace.waiting.has(f);
    if (is) hidden++;
    return is;
  };
}

// Builds a tree from spans. Calls that share a span have unknown functions, so they become
// a child OTHERS of their caller.
class SpanTree {
  constructor(hasBefore = false) {
    this.made = new TreeMaker(hasBefore);
    this.shorter = 0; // number of calls that share spans
  }
  // Begins a thread, or a single call.
  begin(side = "after") {
    this.side = side;
    this.nodes = [this.made.root]; // nodes of the open calls
  }
  // Adds a span, with only its time between from and to.
  add(deep, row, i, [from, to], isHidden) {
    const { made, nodes, side } = this, outer = made.nodes[nodes[deep]], calls = row.calls[i];
    if (isHidden) {
      nodes[deep + 1] = nodes[deep];
      return;
    }
    const isSummed = calls > 1 || outer.f === OTHERS;
    if (isSummed) this.shorter += calls;
    nodes[deep + 1] = outer.f === OTHERS ? nodes[deep] : made.sub(nodes[deep], isSummed ? OTHERS : row.f[i]);
    const sums = made.nodes[nodes[deep + 1]][side];
    sums.calls += calls;
    if (row.flags[i] & 1) sums.open += calls;
    if (row.flags[i] & 2) sums.cutOff += calls;
    if (outer.f === OTHERS) return;
    const inside = Math.min(row.start[i] + row.length[i], to) - Math.max(row.start[i], from);
    const time = row.length[i] ? row.busy[i] * inside / row.length[i] : 0;
    sums.total += time;
    sums.self += time;
    if (outer.f === ALL) {
      outer[side].calls += calls;
      outer[side].total += time;
    } else {
      outer[side].self = Math.max(0, outer[side].self - time);
    }
  }
}

// Computes the columns of the table from a tree and the durations of each function's
// calls.
function figuresOf(tree, durations) {
  const column = () => trace.names.map(() => 0), after = { cost: trace.after.cost };
  for (const key of ["calls", "total", "self", "unfinished"]) after[key] = column();
  const ends = trace.names.map(() => 0); // end of the outermost node of each function
  for (let i = 0; i < tree.size; i++) {
    const f = tree.f[i];
    if (f < 0) continue;
    after.calls[f] += tree.after.calls[i];
    after.self[f] += tree.after.self[i];
    after.unfinished[f] += tree.after.open[i] + tree.after.cutOff[i];
    if (i < ends[f]) continue;
    ends[f] = tree.end[i];
    after.total[f] += tree.after.total[i];
  }
  const sorted = durations.map(all => Float64Array.from(all).sort());
  for (const [key, part] of [["p50", 0.5], ["p95", 0.95], ["p99", 0.99], ["longest", 1]])
    after[key] = sorted.map(all => all.length ? all[Math.ceil(part * all.length) - 1] : null);
  after.average = sorted.map(all => all.length ? all.reduce((sum, n) => sum + n) / all.length : null);
  if (trace.noCalls)
    for (const key of ["total", "self"]) after[key].fill(null);
  return after;
}
function histogramOf(durations) {
  const bars = [];
  for (const n of durations) {
    const i = n < 2 * trace.unit ? 0 : Math.floor(Math.log2(n / trace.unit));
    bars[i] = (bars[i] ?? 0) + 1;
  }
  return Array.from(bars, n => n ?? 0);
}

const isPart = () => scope.range !== null || scope.thread >= 0;
function look() {
  if (!isPart()) {
    seen = { tree: scope.hide ? withoutWaiting(trace.tree) : trace.tree,
             after: trace.after, histogram: trace.histogram, shorter: 0 };
    return;
  }
  const spans = new SpanTree(), times = scopeTimes(), durations = trace.names.map(() => []);
  for (const { rows } of threadsInScope()) {
    const isHidden = hiding();
    spans.begin();
    walk(rows, ...times, (deep, row, i) => {
      spans.add(deep, row, i, times, isHidden(deep, row.f[i]));
      if (isTimed(row, i)) durations[row.f[i]].push(row.busy[i]);
    });
  }
  const tree = spans.made.finish(spans.made.root);
  seen = { tree, after: figuresOf(tree, durations), histogram: durations.map(histogramOf), shorter: spans.shorter };
}
// Removes hidden outermost functions, so that their callees become outermost.
function withoutWaiting(tree) {
  const made = new TreeMaker(!!tree.before), places = [made.root];
  const isHidden = hiding();
  for (let i = 1; i < tree.size; i++) {
    const deep = tree.depth[i] - 1;
    if (isHidden(deep, tree.f[i])) {
      places[deep + 1] = made.root;
      continue;
    }
    places[deep + 1] = made.sub(places[deep], tree.f[i]);
    made.count(places[deep + 1], tree, i, true);
    if (places[deep] === made.root)
      for (const side of tree.before ? ["after", "before"] : ["after"])
        for (const key of ["calls", "total"]) made.nodes[made.root][side][key] += tree[side][key][i];
  }
  return made.finish(made.root);
}

// The function's calls in the scope, as { thread, row, span }, slowest first.
function callsOf(f) {
  const found = [], [from, to] = scopeTimes();
  for (const thread of threadsInScope())
    thread.rows.forEach((row, r) => {
      for (let i = firstSpan(row, from); i < row.size && row.start[i] <= to; i++)
        if (row.f[i] === f && row.calls[i] === 1) found.push({ thread, row: r, span: i });
    });
  const busy = ({ thread, row, span }) => thread.rows[row].busy[span];
  return found.sort((a, b) => busy(b) - busy(a));
}

// Builds a tree of the function's calls, like `patchbay outliers`. "after" has the calls of
// at least `least` ns, and "before" has the shorter calls. A nested call of the same function
// is part of the outer call.
function outliersOf(f, least) {
  const spans = new SpanTree(true);
  for (const { rows } of threadsInScope()) {
    let root = Infinity;
    walk(rows, ...scopeTimes(), (deep, row, i) => {
      if (deep <= root) root = Infinity;
      if (root === Infinity && row.f[i] === f && isTimed(row, i)) {
        root = deep;
        spans.begin(row.busy[i] >= least ? "after" : "before");
      }
      if (deep >= root) spans.add(deep - root, row, i, [0, Infinity], false);
    });
  }
  return spans.made.finish(spans.made.root);
}
