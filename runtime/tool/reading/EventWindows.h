// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a thread by the time at which calls began, a window of time after the
// other. A call is written down when it returns, so one that began first may be last in
// the file; but few are open at a time, and the pieces say when the first call of each
// of them began. So besides the events of a piece only those are kept that began while
// it was recorded and are in later ones: not more than calls were within each other.
#ifndef PATCHBAY_TOOL_EVENTWINDOWS_H
#define PATCHBAY_TOOL_EVENTWINDOWS_H

#include "DataFile.h"
#include "format.h"
#include "llvm/Support/MathExtras.h"
#include <thread>

namespace patchbay {

struct DataEvent {
  /// A call that longjmp() left, which is in the file as one that was unwound.
  static constexpr uint8_t Jumped = 4;

  uint64_t Time;     // in ticks
  uint64_t Detail;   // see pbd_record_kind
  uint32_t Function; // in DataFile::slots()
  uint32_t Frame;
  uint32_t Values;   // behind those of the window; 0: none
  uint8_t Kind;      // pbd_record_kind, but never NONE; or Jumped

  bool isCall() const { return Kind != PBD_RECORD_ENTRY; }
  uint64_t end() const {
    return isCall() ? llvm::SaturatingAdd(Time, Detail) : UINT64_MAX;
  }
};

/// Some of a thread's events. By Time; of calls that begin at the same tick the one
/// with the higher frame, which is the outer one, comes first, and siblings are in the
/// order in which they were recorded. Where a call was recorded at its entry and at its
/// exit, only the latter is there.
struct EventWindow {
  std::vector<DataEvent> Events;
  std::vector<DataValues> Values;
};

class EventWindows {
public:
  /// What a window is made of.
  struct Plan {
    const DataPiece *Piece = nullptr;
    std::optional<uint64_t> After; // those are in the window that began after this
    uint64_t Until = 0;            // and not after that
    EventWindow Later;             // what is in later pieces, as it was recorded
    llvm::StringRef Release;       // of the file: not needed any more
    std::thread::id Reader;        // who planned it, and will read the window
  };

  /// From: a time in ticks; calls that ended before it may be left out.
  EventWindows(const DataFile &File, const DataThread &Thread,
               uint64_t From = 0);
  /// The windows of a thread, one after the other; false: there are no more.
  bool plan(Plan &Next);
  /// Can be done by any thread, and of several plans at the same time. Takes what is
  /// in the plan.
  static void make(const DataFile &File, Plan &From, EventWindow &Out);

private:
  struct Early;
  void loadEarly(uint64_t Until);
  llvm::StringRef released();

  const DataFile &File;
  llvm::ArrayRef<DataPiece> Pieces;
  std::vector<uint64_t> Until; // by piece
  // Pieces with events of earlier windows, by when the first of these began.
  std::vector<std::pair<uint64_t, uint32_t>> ByBegin;
  size_t NextByBegin = 0;
  size_t Next = 0;
  llvm::StringRef Read; // before Next, and not released
  std::map<uint32_t, std::shared_ptr<Early>> Loaded; // by piece
};

} // namespace patchbay

#endif
