// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that `record` must trace, and whether the program has them.
#pragma once

#include "TypedArgs.h"
#include "elf/ElfImage.h"
#include "live/ProcessMemory.h"
#include "names/NameFilter.h"
#include <set>

namespace patchbay {

/// The functions that an option selects. The runtime matches plain symbols. So
/// it gets the mangled names of functions that only match demangled.
struct Selection {
  Selection(llvm::StringRef Name, std::vector<std::string> Given)
      : Name(Name), Globs(std::move(Given)), Filter(Globs) {}
  llvm::StringRef Name; // in PATCHBAY
  std::vector<std::string> Globs;
  NameFilter Filter;
  std::set<std::string> Symbols;
};

struct Wanted {
  std::vector<Selection> Selections;
  TypedArgs Typed;
  /// Arguments of the program, which may name libraries.
  std::vector<std::string> Arguments;
  /// Roots for debug files.
  std::vector<std::string> Roots = {""};
  /// The consequence for a program without such functions; may be empty.
  std::string OrElse;
};

/// Searches the functions in Program, which the kernel runs for Path, and in its
/// libraries. Fails if recording with Tracer would have no functions.
llvm::Error checkProgram(llvm::StringRef Path, const ElfImage &Program,
                         const ElfImage &Tracer, Wanted &W);

/// The same for the mapped files of a running process.
llvm::Error checkMapped(const ProcessMemory &Memory, Wanted &W);

} // namespace patchbay
