// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the runtime into a running process that was started without it, and keeps the
// runtime loaded for `record -p` and `attach -p` (trace/live/visit.h).
#pragma once

#include "OutputInside.h"
#include "elf/ElfImage.h"
#include "live/ControlSocket.h"
#include "live/ProcessMemory.h"

namespace patchbay {

class Visit {
public:
  /// Loads Library into the process, and begins a recording with Options. The output
  /// directory is Dir, or a directory within the process's root. Arena: the option of a
  /// Recorder for Dir. Limits: for a process that cannot use the Recorder. Prints one line
  /// with What to stderr. After an error, no code of the runtime runs in the process.
  static llvm::Expected<Visit> begin(ProcessMemory &Memory,
                                     const ElfImage &Library,
                                     const std::string &Options,
                                     const std::string &Dir, llvm::StringRef Arena,
                                     const RecordingLimits &Limits, llvm::StringRef What);
  /// Loads Library into the process for attached programs, without a recording. The caller
  /// must then call keep(), otherwise the runtime ends.
  static llvm::Error loadIdle(ProcessMemory &Memory, const ElfImage &Library);
  /// Keeps the runtime of a listening process loaded until the last command that called
  /// keep() ends. Returns nullptr if the process has listened from its start.
  static llvm::Expected<std::unique_ptr<Visit>> keep(pid_t Pid);
  /// Joins the recording of a child that a recorded process has forked. The child must be
  /// listening.
  static llvm::Expected<Visit> join(pid_t Pid);

  pid_t pid() const { return Pid; }
  /// A descriptor that is readable when the process has ended.
  int descriptor() const { return Socket.descriptor(); }
  /// Requests the end of the recording.
  void finish() { Socket.finish(); }
  /// Waits until the process has left the runtime's code, unless other commands keep the
  /// runtime loaded.
  void awaitEnd();
  /// Copies the recording to the output directory.
  void collect() const;

private:
  Visit(pid_t Pid, ControlSocket Socket) : Pid(Pid), Socket(std::move(Socket)) {}

  pid_t Pid;
  ControlSocket Socket;
  std::unique_ptr<OutputInside> Output; // nullptr: uses the parent's directory
};

/// Returns "'patchbay record -p PID' DOES", or the reason why `record -p` would refuse the
/// process.
std::string recordAdvice(pid_t Pid, llvm::StringRef Does);

} // namespace patchbay
