// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running process that has our runtime while this command needs it
// (trace/live/visit.h). `record -p` and `attach -p` use it for processes that were
// started without the runtime.
#pragma once

#include "OutputInside.h"
#include "elf/ElfImage.h"
#include "live/ControlSocket.h"
#include "live/ProcessMemory.h"
#include <memory>

namespace patchbay {

class Visit {
public:
  /// Loads Library into the process, which begins a recording with Options. The output
  /// directory is Dir, or one inside of the process. Arena: the option of a Recorder for
  /// Dir. Limits: for a process that cannot use it. Prints one line with What to stderr. On error nothing runs in the process any
  /// more.
  static llvm::Expected<Visit> begin(ProcessMemory &Memory,
                                     const ElfImage &Library,
                                     const std::string &Options,
                                     const std::string &Dir, llvm::StringRef Arena,
                                     const RecordingLimits &Limits, llvm::StringRef What);
  /// Loads Library into the process for attached programs, without a recording.
  /// The caller must keep it; otherwise it ends by itself.
  static llvm::Error loadIdle(ProcessMemory &Memory, const ElfImage &Library);
  /// Keeps the runtime of a listening process until its last keeper ends. Null: the
  /// process has listened from its start.
  static llvm::Expected<std::unique_ptr<Visit>> keep(pid_t Pid);
  /// Joins a child that a visited process has forked, and that listens.
  static llvm::Expected<Visit> join(pid_t Pid);

  pid_t pid() const { return Pid; }
  /// Readable when the process has ended.
  int descriptor() const { return Socket.descriptor(); }
  /// Asks for the end.
  void finish() { Socket.finish(); }
  /// Waits until only unused libraries are left, except what other commands keep.
  void awaitEnd();
  /// Moves the recording to the directory.
  void collect() const;

private:
  Visit(pid_t Pid, ControlSocket Socket) : Pid(Pid), Socket(std::move(Socket)) {}

  pid_t Pid;
  ControlSocket Socket;
  std::unique_ptr<OutputInside> Output; // null: the parent's
};

} // namespace patchbay
