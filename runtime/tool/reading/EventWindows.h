// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns a thread's events in the order in which calls began, in consecutive windows of
// time. A call is recorded when it returns, so the call that began first may be last in
// the file. Each piece says when its first call began, and few calls are open at a time.
// So memory holds only the events of one piece, and the events of later pieces that began
// before the piece ended. There are at most as many such later events as nested calls.
#pragma once

#include "DataFile.h"
#include "llvm/Support/MathExtras.h"
#include <thread>

namespace patchbay {

struct DataEvent {
  /// A call that longjmp() left; the file has PBD_RECORD_UNWOUND for it.
  static constexpr uint8_t Jumped = 4;

  uint64_t Time;     // in ticks
  uint64_t Detail;   // see pbd_record_kind
  uint32_t Function; // index in DataFile::slots()
  uint32_t Frame;
  uint32_t Values;   // index of the window's values plus 1; 0: none
  uint8_t Kind;      // pbd_record_kind except NONE, or Jumped

  bool isCall() const { return Kind != PBD_RECORD_ENTRY; }
  uint64_t end() const {
    return isCall() ? llvm::SaturatingAdd(Time, Detail) : UINT64_MAX;
  }
};

/// Some of a thread's events, sorted by Time. Among calls that begin at the same tick,
/// the outer call comes first, which has the higher frame. Siblings are in the order of
/// recording. If a call has records of its entry and its exit, the window has only the
/// exit.
struct EventWindow {
  std::vector<DataEvent> Events;
  std::vector<DataValues> Values;
};

class EventWindows {
public:
  /// The input of make() for one window.
  struct Plan {
    const DataPiece *Piece = nullptr;
    std::optional<uint64_t> After; // the window's events began after this time
    uint64_t Until = 0;            // the window's events began at this time or before
    EventWindow Later;             // events of later pieces, as recorded
    llvm::StringRef Release;       // a part of the file that is no longer needed
    std::thread::id Reader;        // the thread that called plan()
  };

  /// From: in ticks; calls that ended before may be skipped.
  EventWindows(const DataFile &File, const DataThread &Thread,
               uint64_t From = 0);
  /// Plans the windows of a thread, one after another. Returns false after the last.
  bool plan(Plan &Next);
  /// Any thread may call this, concurrently for several plans. Empties the plan.
  static void make(const DataFile &File, Plan &From, EventWindow &Out);

private:
  struct Early;
  void loadEarly(uint64_t Until);
  llvm::StringRef released();

  const DataFile &File;
  llvm::ArrayRef<DataPiece> Pieces;
  std::vector<uint64_t> Until; // indexed by piece
  // Pieces with events of earlier windows: time of the first call and index, sorted.
  std::vector<std::pair<uint64_t, uint32_t>> ByBegin;
  size_t NextByBegin = 0;
  size_t Next = 0;
  llvm::StringRef Read; // bytes of pieces before Next that are not released yet
  std::map<uint32_t, std::shared_ptr<Early>> Loaded; // by index of the piece
};

} // namespace patchbay
