// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as one page for a browser: flame graph, durations, timeline.
#ifndef PATCHBAY_TOOL_HTMLREPORT_H
#define PATCHBAY_TOOL_HTMLREPORT_H

#include "CallTree.h"
#include "ReportTable.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

struct TimelineCall {
  TraceCall Call;
  uint64_t Number; // of the thread's calls, in the order in which they began
};

struct TimelineThread {
  uint64_t Calls = 0;                // all of them
  std::vector<TimelineCall> Longest; // those to draw, in their order
};

/// Which calls a browser is to draw.
class Timeline : public CallSink {
public:
  void beginThread(const TraceThread &) override;
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  void endThread(const TraceThread &) override;

  uint64_t Begin = UINT64_MAX, End = 0; // of all calls
  std::vector<TimelineThread> Threads;

private:
  uint64_t Number = 0;
  std::vector<uint64_t> Numbers; // of calls that are open
};

struct HtmlData {
  std::vector<FunctionDurations> Functions;
  CallTree Tree;
  Timeline Times;
};

/// The page needs no network and nothing beside it.
class HtmlReport {
public:
  /// Reads the calls of T.
  explicit HtmlReport(Trace &T);
  /// Functions are sorted as those of the table are. Dir is what the trace was read
  /// from.
  void print(llvm::StringRef Dir, Field By, llvm::raw_ostream &OS);

private:
  Trace &T;
  HtmlData Data;
};

/// What the page's script is, apart from the trace.
extern const char HtmlHead[], HtmlScript[];

} // namespace patchbay

#endif
