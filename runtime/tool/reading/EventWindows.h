// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a thread in the order in which calls began, in consecutive windows of
// time. A call is recorded when it returns, so the call that began first may be last in
// the file. But few calls are open at a time, and each piece tells when its first call
// began. So memory holds the events of one piece, and those events of later pieces that
// began while it was recorded: at most as many as nested calls.
#pragma once

#include "DataFile.h"
#include "trace/format/format.h"
#include "llvm/Support/MathExtras.h"
#include <thread>

namespace patchbay {

struct DataEvent {
  /// A call that longjmp() left; the file marks it as unwound.
  static constexpr uint8_t Jumped = 4;

  uint64_t Time;     // in ticks
  uint64_t Detail;   // see pbd_record_kind
  uint32_t Function; // in DataFile::slots()
  uint32_t Frame;
  uint32_t Values;   // index of the window's values plus 1; 0: none
  uint8_t Kind;      // pbd_record_kind, but never NONE; or Jumped

  bool isCall() const { return Kind != PBD_RECORD_ENTRY; }
  uint64_t end() const {
    return isCall() ? llvm::SaturatingAdd(Time, Detail) : UINT64_MAX;
  }
};

/// Some of a thread's events, sorted by Time. Among calls that begin at the same tick,
/// the one with the higher frame, the outer one, comes first. Siblings have the order of
/// recording. A call that was recorded at its entry and at its exit has only the exit.
struct EventWindow {
  std::vector<DataEvent> Events;
  std::vector<DataValues> Values;
};

class EventWindows {
public:
  /// The sources of a window.
  struct Plan {
    const DataPiece *Piece = nullptr;
    std::optional<uint64_t> After; // the window's events began after this
    uint64_t Until = 0;            // and not after that
    EventWindow Later;             // events in later pieces, in the order of
                                   // recording
    llvm::StringRef Release;       // part of the file that is not needed any
                                   // more
    std::thread::id Reader;        // the thread that planned and will read the
                                   // window
  };

  /// From: in ticks; calls that ended before it may be skipped.
  EventWindows(const DataFile &File, const DataThread &Thread,
               uint64_t From = 0);
  /// Plans the windows of a thread, one after another; false: no more.
  bool plan(Plan &Next);
  /// Any thread may do this, for several plans at the same time. Empties the plan.
  static void make(const DataFile &File, Plan &From, EventWindow &Out);

private:
  struct Early;
  void loadEarly(uint64_t Until);
  llvm::StringRef released();

  const DataFile &File;
  llvm::ArrayRef<DataPiece> Pieces;
  std::vector<uint64_t> Until; // by piece
  // Pieces with events of earlier windows, by the beginning of their first call.
  std::vector<std::pair<uint64_t, uint32_t>> ByBegin;
  size_t NextByBegin = 0;
  size_t Next = 0;
  llvm::StringRef Read; // before Next, and not released yet
  std::map<uint32_t, std::shared_ptr<Early>> Loaded; // by piece
};

} // namespace patchbay
