// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps our runtime loaded in a running process while this command needs it
// (trace/live/visit.h). `record -p` and `attach -p` use this for processes that were
// started without the runtime.
#pragma once

#include "OutputInside.h"
#include "elf/ElfImage.h"
#include "live/ControlSocket.h"
#include "live/ProcessMemory.h"

namespace patchbay {

class Visit {
public:
  /// Loads Library into the process, and begins a recording with Options. The output
  /// directory is Dir, or one within the process's root. Arena: the option of a Recorder
  /// for Dir. Limits: for a process that cannot use that recorder. Prints one line with
  /// What to stderr. On error, nothing of ours runs in the process.
  static llvm::Expected<Visit> begin(ProcessMemory &Memory,
                                     const ElfImage &Library,
                                     const std::string &Options,
                                     const std::string &Dir, llvm::StringRef Arena,
                                     const RecordingLimits &Limits, llvm::StringRef What);
  /// Loads Library into the process for attached programs, without a recording. The
  /// caller must keep() it, otherwise the runtime ends by itself.
  static llvm::Error loadIdle(ProcessMemory &Memory, const ElfImage &Library);
  /// Keeps the runtime of a listening process loaded until the last keeper ends.
  /// Returns nullptr if the process has listened from its start.
  static llvm::Expected<std::unique_ptr<Visit>> keep(pid_t Pid);
  /// Joins the recording of a child that a visited process has forked. The child must
  /// be listening.
  static llvm::Expected<Visit> join(pid_t Pid);

  pid_t pid() const { return Pid; }
  /// A descriptor that is readable when the process has ended.
  int descriptor() const { return Socket.descriptor(); }
  /// Requests the end of the recording.
  void finish() { Socket.finish(); }
  /// Waits until the process runs no code of the runtime, except what other commands
  /// keep.
  void awaitEnd();
  /// Copies the recording to the output directory.
  void collect() const;

private:
  Visit(pid_t Pid, ControlSocket Socket) : Pid(Pid), Socket(std::move(Socket)) {}

  pid_t Pid;
  ControlSocket Socket;
  std::unique_ptr<OutputInside> Output; // nullptr: uses the parent's directory
};

/// "'patchbay record -p PID' DOES", or why `record -p` would refuse the process.
std::string recordAdvice(pid_t Pid, llvm::StringRef Does);

} // namespace patchbay
