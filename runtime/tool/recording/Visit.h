// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running process that has our runtime for as long as this command wants it to
// (trace/visit.h): what `record -p` and `attach -p` do to a process that was started
// without anything.
#ifndef PATCHBAY_TOOL_RECORDING_VISIT_H
#define PATCHBAY_TOOL_RECORDING_VISIT_H

#include "OutputInside.h"
#include "elf/ElfImage.h"
#include "live/ControlSocket.h"
#include "live/ProcessMemory.h"
#include <memory>

namespace patchbay {

class Visit {
public:
  /// Loads Library into the process, which has Options begin something, all but the
  /// output directory, which is Dir or one inside. One line on stderr says so, with
  /// What. Fails with one line; nothing goes on in the process then.
  static llvm::Expected<Visit> begin(ProcessMemory &Memory,
                                     const ElfImage &Library,
                                     const std::string &Options,
                                     const std::string &Dir,
                                     llvm::StringRef What);
  /// Loads Library into the process for programs that are attached: nothing is recorded.
  /// It has to be kept; what is not ends by itself.
  static llvm::Error loadIdle(ProcessMemory &Memory, const ElfImage &Library);
  /// The runtime of a process that listens stays there as long as one of those who keep it
  /// does. Null: it is one that has listened from its beginning.
  static llvm::Expected<std::unique_ptr<Visit>> keep(pid_t Pid);
  /// A child that a process of an earlier visit has forked, and that listens.
  static llvm::Expected<Visit> join(pid_t Pid);

  pid_t pid() const { return Pid; }
  /// Readable when the process has ended.
  int descriptor() const { return Socket.descriptor(); }
  /// The end is asked for.
  void finish() { Socket.finish(); }
  /// Until nothing of it is left but libraries that nobody calls, or what others keep.
  void awaitEnd();
  /// What was recorded is in the directory from then on.
  void collect() const;

private:
  Visit(pid_t Pid, ControlSocket Socket) : Pid(Pid), Socket(std::move(Socket)) {}

  pid_t Pid;
  ControlSocket Socket;
  std::unique_ptr<OutputInside> Output; // null: that of its parent
};

} // namespace patchbay

#endif
