// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the trees of a function's callers and callees from the tree of calls. The figures
// equal the output of `patchbay graph -f`.

// Avoids recursion, since the tree of a recursive function is as deep as its recursion.
class TreeMaker {
  constructor(hasBefore) {
    this.hasBefore = hasBefore;
    this.nodes = [];
    this.subs = [];
    this.root = this.add(-1, ALL);
  }
  add(parent, f) {
    const sums = () => ({ calls: 0, total: 0, self: 0, open: 0, cutOff: 0 });
    this.nodes.push({ f, parent, paths: 0, after: sums(), before: this.hasBefore ? sums() : null });
    this.subs.push(new Map());
    return this.nodes.length - 1;
  }
  sub(parent, f) {
    let node = this.subs[parent].get(f);
    if (node === undefined) {
      node = this.add(parent, f);
      this.subs[parent].set(f, node);
    }
    return node;
  }
  // Adds the values of node i of another tree.
  count(node, tree, i, inTotal) {
    const to = this.nodes[node];
    to.paths += tree.paths[i];
    for (const side of this.hasBefore ? ["after", "before"] : ["after"])
      for (const key of ["calls", "total", "self", "open", "cutOff"])
        if (key !== "total" || inTotal) to[side][key] += tree[side][key][i];
  }
  // Returns columns as readTree() does. Node `from` becomes the root.
  finish(from) {
    const weight = n => Math.max(n.after.total, n.before?.total ?? 0);
    const order = [], depth = [], next = [[from, 0]];
    while (next.length) {
      const [node, deep] = next.pop();
      order.push(this.nodes[node]);
      depth.push(deep);
      const below = [...this.subs[node].values()].sort((a, b) =>
        weight(this.nodes[a]) - weight(this.nodes[b]) || this.nodes[b].f - this.nodes[a].f);
      for (const sub of below) next.push([sub, deep + 1]);
    }
    const column = (side, key) => Float64Array.from(order, n => n[side][key]);
    const sums = side => {
      const all = {};
      for (const key of ["calls", "total", "self", "open", "cutOff"]) all[key] = column(side, key);
      return all;
    };
    return withLinks({
      size: order.length, depth: Int32Array.from(depth), f: Int32Array.from(order, n => n.f),
      paths: Uint32Array.from(order, n => n.paths), after: sums("after"),
      before: this.hasBefore ? sums("before") : null,
    });
  }
}

// The nodes of a function, and whether each is a descendant of another node of the function.
function nodesOf(tree, f) {
  const nodes = [];
  for (let i = 0, end = 0; i < tree.size; i++) {
    if (tree.f[i] !== f) continue;
    nodes.push([i, i < end]);
    if (i >= end) end = tree.end[i];
  }
  return nodes;
}

const mostCallers = 500;
function callersOf(tree, f) {
  const made = new TreeMaker(!!tree.before), root = made.sub(made.root, f);
  for (const [node, isWithin] of nodesOf(tree, f)) {
    made.count(root, tree, node, !isWithin);
    let to = root, far = 0;
    for (let i = tree.parent[node]; i > 0 && far < mostCallers; i = tree.parent[i], far++) {
      to = made.sub(to, tree.f[i]);
      made.count(to, tree, node, !isWithin);
    }
  }
  return made.finish(root);
}
function calleesOf(tree, f) {
  const made = new TreeMaker(!!tree.before), root = made.sub(made.root, f);
  const places = [];
  for (const [node, isWithin] of nodesOf(tree, f)) {
    if (isWithin) continue;
    for (let i = node; i < tree.end[node]; i++) {
      const deep = tree.depth[i] - tree.depth[node];
      places[deep] = deep ? made.sub(places[deep - 1], tree.f[i]) : root;
      made.count(places[deep], tree, i, true);
    }
  }
  return made.finish(root);
}
