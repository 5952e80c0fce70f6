// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// trace-processor.js FOLDER
//
// Runs Perfetto's trace processor, which reads requests from standard input and writes
// replies to standard output. FOLDER contains Perfetto's page. On the page the
// processor is a web worker; this script provides the browser functions that the
// processor uses.
"use strict";
const fs = require("fs"), path = require("path");
const folder = process.argv[2];

class XMLHttpRequest {
  open(_, file) { this.file = file; }
  send() { this.response = fs.readFileSync(path.join(folder, this.file)); }
}
const worker = {
  self: { location: { href: "" } }, WorkerGlobalScope: Object, XMLHttpRequest,
  process: undefined,
  // The processor's log messages are for humans.
  console: Object.assign(Object.create(console), { log: console.error }),
};
Function(...Object.keys(worker),
         fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"))
  (...Object.values(worker));

const port = { postMessage: reply => fs.writeSync(1, reply) };
worker.self.onmessage({ data: port });
// At this point the asynchronous initialization is complete.
setImmediate(() => process.stdin.on("data", request => port.onmessage({ data: request })));
