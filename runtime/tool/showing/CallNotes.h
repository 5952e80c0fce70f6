// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was recorded of single calls beside their times, as text for the page: arguments,
// results (`record --args`), and why they were slow (`record --why`). Of the longest calls
// that have such, as a page has no room for all; how many there are is known.
#ifndef PATCHBAY_TOOL_CALLNOTES_H
#define PATCHBAY_TOOL_CALLNOTES_H

#include "reading/CallStream.h"

namespace patchbay {

class CallNotes : public CallSink {
public:
  explicit CallNotes(Trace &T, size_t Most = 1000) : T(T), Most(Most) {}
  void beginThread(const TraceThread &) override { ++Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *V) override;
  /// When all calls were read.
  void finish();

  /// Of the call of a thread that began then, within so many others; empty: nothing.
  llvm::StringRef at(size_t Thread, size_t Depth, uint64_t Start) const;
  /// How many calls have something.
  uint64_t calls() const { return Calls; }

private:
  using Place = std::tuple<size_t, size_t, uint64_t>; // thread, depth, start
  struct Noted {
    uint64_t Ns; // how long the call took
    Place Of;
    DataValues Values;
    // So that the shortest is on top of a heap.
    bool operator<(const Noted &Other) const { return Ns > Other.Ns; }
  };

  Trace &T;
  size_t Most, Thread = SIZE_MAX; // the first is 0
  uint64_t Calls = 0;
  std::vector<Noted> Longest; // a heap
  std::map<Place, std::string> Texts;
};

} // namespace patchbay

#endif
