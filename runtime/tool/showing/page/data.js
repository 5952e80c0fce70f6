// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the command's data from the page. PageData.cpp describes the format.

async function unpack(text) {
  const packed = Uint8Array.from(atob(text.slice(1)), c => c.charCodeAt(0));
  if (text[0] === "p") return packed;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Numbers {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }
  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++], value = byte & 127;
    for (let unit = 128; byte > 127; unit *= 128) {
      byte = bytes[this.at++];
      value += (byte & 127) * unit;
    }
    return value;
  }
  column(size, Kind = Float64Array) {
    const all = new Kind(size);
    for (let i = 0; i < size; i++) all[i] = this.next();
    return all;
  }
}

// Special values for the function of a node.
const ALL = -1, OTHERS = -2;

// A tree as columns. Each node i is followed by its descendants, up to end[i].
function readTree(numbers, hasBefore) {
  const size = numbers.next(), depth = new Int32Array(size);
  for (let i = 0, deepest = 0; i < size; i++) {
    depth[i] = deepest - numbers.next();
    deepest = depth[i] + 1;
  }
  const f = numbers.column(size, Int32Array).map(n => n === 0 ? ALL : n === 1 ? OTHERS : n - 2);
  const paths = numbers.column(size, Uint32Array);
  const sums = () => {
    const read = {};
    for (const key of ["calls", "total", "self", "open", "cutOff"])
      read[key] = numbers.column(size);
    return read;
  };
  const tree = { size, depth, f, paths, after: sums(), before: hasBefore ? sums() : null };
  return withLinks(tree);
}

// Adds the columns parent and end. end: the first node after the node's descendants.
function withLinks(tree) {
  const parent = tree.parent = new Int32Array(tree.size), open = [];
  const end = tree.end = new Int32Array(tree.size);
  for (let i = 0; i < tree.size; i++) {
    while (open.length > tree.depth[i]) end[open.pop()] = i;
    parent[i] = open.length ? open[open.length - 1] : -1;
    open.push(i);
  }
  while (open.length) end[open.pop()] = tree.size;
  return tree;
}

function readActivity(numbers) {
  const parts = [];
  for (let n = numbers.next(), at = 0; n; n--) {
    at += numbers.next();
    parts.push([at++, numbers.next()]);
  }
  return parts;
}

function readRow(numbers) {
  const size = numbers.next();
  const start = new Float64Array(size), length = new Float64Array(size);
  const calls = new Float64Array(size), busy = new Float64Array(size);
  const flags = new Uint8Array(size), f = new Int32Array(size);
  for (let i = 0; i < size; i++) start[i] = numbers.next();
  for (let i = 0, end = 0; i < size; i++) {
    length[i] = numbers.next();
    start[i] += end;
    end = start[i] + length[i];
  }
  for (let i = 0; i < size; i++) {
    const n = numbers.next();
    flags[i] = n % 4;
    calls[i] = Math.floor(n / 4);
  }
  for (let i = 0; i < size; i++) f[i] = numbers.next();
  for (let i = 0; i < size; i++) busy[i] = length[i] - numbers.next();
  const within = new Map();
  for (let n = numbers.next(), at = 0; n; n--) {
    at += numbers.next();
    within.set(at++, numbers.next());
  }
  return { size, start, length, calls, busy, flags, f, within, notes: new Map() };
}

async function readTrace(text) {
  const bytes = await unpack(text.trim());
  const jsonSize = new DataView(bytes.buffer).getUint32(0, true);
  const trace = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + jsonSize)));
  const numbers = new Numbers(bytes, 4 + jsonSize);
  trace.forms = trace.names;
  trace.names = trace.forms.map(([whole]) => whole);
  const each = read => trace.names.map(() => read());
  trace.tree = readTree(numbers, !!trace.before);
  trace.activity = each(() => readActivity(numbers));
  trace.histogram = [];
  trace.histogramBefore = [];
  each(() => {
    trace.histogram.push(numbers.column(numbers.next()));
    if (trace.before) trace.histogramBefore.push(numbers.column(numbers.next()));
  });
  trace.threads = trace.threads.map(([name, process, calls, busy, rows]) => ({
    name, process, calls, busy, rows: Array.from({ length: rows }, () => readRow(numbers)),
  }));
  for (const [thread, row, span, text] of trace.notes)
    trace.threads[thread].rows[row].notes.set(span, text);
  return trace;
}
