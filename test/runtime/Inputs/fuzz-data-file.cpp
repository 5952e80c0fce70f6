// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libFuzzer target: the bytes of a data file, from the reader to what users
// see. Whatever they are, calls are within each other as they claim to be.
#include "ReportTable.h"
#include "Export.h"

using namespace llvm;
using namespace patchbay;

static void check(bool Holds) {
  if (!Holds)
    abort();
}

static void checkThread(const TraceThread &Thread) {
  for (size_t I = 0; I != Thread.Calls.size(); ++I) {
    const TraceCall &C = Thread.Calls[I];
    check(C.Values <= Thread.Values.size());
    check(!I || Thread.Calls[I - 1].Start <= C.Start);
    if (C.Parent == TraceCall::NoParent) {
      check(C.Depth == 0);
      continue;
    }
    check(C.Parent < I);
    check(Thread.Calls[C.Parent].Depth + 1 == C.Depth);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Bytes, size_t Size) {
  DataFile Data;
  consumeError(parseDataFile(
      "fuzzed", StringRef(reinterpret_cast<const char *>(Bytes), Size), Data));
  // No file of the machine is looked for.
  for (auto &[Id, Module] : Data.Modules)
    Module.Path.clear(), Module.BuildId.clear();
  Trace T = makeTrace("fuzzed", std::move(Data));
  for (const TraceThread &Thread : T.Threads)
    checkThread(Thread);
  raw_null_ostream Nowhere;
  std::vector<FunctionDurations> Functions = functionDurations(T);
  std::vector<size_t> Order = sortFunctions(T, Functions, Field::Self);
  printReport(T, Functions, Order, defaultFields(T), 80, Nowhere);
  exportText(T, Nowhere);
  exportCsv(T, Nowhere);
  exportChrome(T, Nowhere);
  exportFolded(T, Nowhere);
  exportPerfetto(T, Nowhere);
  return 0;
}
