// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes about single calls for the page: arguments and results (`record --args`), and why
// calls were slow (`record --why`). A page has space only for the notes of the longest
// calls. Also collects the marks and values of <patchbay/mark.h>.
#pragma once

#include "reading/CallStream.h"

namespace patchbay {

/// The marks, or the values, of one name.
struct NotedMarks {
  struct Event {
    size_t Thread;
    uint64_t Start;
    int64_t Value;
  };
  uint64_t All = 0, Every = 1; // All: number of events; Events has one of Every
  std::vector<Event> Events;
};

class CallNotes : public CallSink {
public:
  explicit CallNotes(Trace &T, size_t Most = 1000) : T(T), Most(Most) {}
  void beginThread(const TraceThread &) override { ++Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *V) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  /// Must be called after all calls have been read.
  void finish();

  /// The note about the call of a thread with this depth and start; empty without a note.
  llvm::StringRef at(size_t Thread, size_t Depth, uint64_t Start) const;
  /// The number of calls for which data was recorded, with or without a note here.
  uint64_t calls() const { return Calls; }
  /// By name, and true for values. Contains the first 64 names.
  const std::map<std::pair<std::string, bool>, NotedMarks> &marks() const { return Marks; }
  /// The number of marks and values with further names.
  uint64_t marksLeftOut() const { return MarksLeftOut; }
  /// The number of further names, at most 65,536.
  size_t namesLeftOut() const { return NamesLeftOut.size(); }

private:
  using Place = std::tuple<size_t, size_t, uint64_t>; // thread, depth, start
  struct Noted {
    uint64_t Ns; // duration of the call
    Place Of;
    DataValues Values;
    uint64_t Cost = 0; // TraceCall::Cost
    // The shortest call is at the top of the heap.
    bool operator<(const Noted &Other) const { return Ns > Other.Ns; }
  };

  void addMark(const struct Mark &M, uint64_t Start);

  Trace &T;
  size_t Most, Thread = SIZE_MAX; // Thread: index of the current thread
  uint64_t Calls = 0;
  std::vector<Noted> Longest; // a heap of the longest calls
  std::vector<size_t> Slow; // for each open slow call: number of outer calls
  std::map<Place, std::string> Texts;
  std::map<std::pair<std::string, bool>, NotedMarks> Marks;
  uint64_t MarksLeftOut = 0;
  std::set<std::pair<std::string, bool>> NamesLeftOut;
};

} // namespace patchbay
