// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program in place of this command, for the terminal and for signals.
#pragma once

#include "support/Descriptor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <csignal>
#include <string>
#include <sys/types.h>

namespace patchbay {

/// Blocks signals, and returns a descriptor that reads them (signalfd(2)).
llvm::Expected<Descriptor> blockSignals(llvm::ArrayRef<int> Signals,
                                        sigset_t *Before = nullptr);

/// Starts a program with these blocked signals.
llvm::Expected<pid_t> spawnProgram(const std::string &Path, llvm::ArrayRef<const char *> Args,
                                   const sigset_t &Mask);

/// Returns the wait status. Passes on SIGINT, SIGQUIT, SIGTERM and SIGHUP,
/// except those that the terminal sends to both processes. Sends SIGTERM after
/// ForNs, if that is not 0.
llvm::Expected<int> runProgram(const std::string &Path,
                               llvm::ArrayRef<const char *> Args, uint64_t ForNs);

/// The exit code of this command. Prints one line to stderr if a signal killed
/// the program, as shells do, but none for SIGINT and SIGPIPE. If the time was up,
/// SIGTERM is success.
int exitCode(llvm::StringRef Program, int Status);

} // namespace patchbay
