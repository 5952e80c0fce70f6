// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program as a child of this command. For the terminal and for signals, the program
// behaves as if it had replaced this command.
#pragma once

#include "support/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include <csignal>
#include <sys/types.h>

namespace patchbay {

/// Blocks signals, and returns a descriptor for reading them (signalfd(2)).
llvm::Expected<Descriptor> blockSignals(llvm::ArrayRef<int> Signals,
                                        sigset_t *Before = nullptr);

/// Starts a program with Mask as its blocked signals.
llvm::Expected<pid_t> spawnProgram(const std::string &Path, llvm::ArrayRef<const char *> Args,
                                   const sigset_t &Mask);

/// Runs a program, and returns its wait status. Passes on SIGINT, SIGQUIT, SIGTERM and
/// SIGHUP, except signals that the terminal sends to both processes. If ForNs is not 0,
/// sends SIGTERM after ForNs.
llvm::Expected<int> runProgram(const std::string &Path,
                               llvm::ArrayRef<const char *> Args, uint64_t ForNs);

/// The exit code for a wait status. Prints one line to stderr if a signal killed the
/// program, as shells do, except for SIGINT and SIGPIPE. A program that the time limit
/// ended by SIGTERM counts as successful.
int exitCode(llvm::StringRef Program, int Status);

} // namespace patchbay
