// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `record` was asked to trace, and whether the program that it will run
// has it.
#ifndef PATCHBAY_TOOL_SELECTION_H
#define PATCHBAY_TOOL_SELECTION_H

#include "elf/ElfImage.h"
#include "live/ProcessMemory.h"
#include "TypedArgs.h"
#include "names/NameFilter.h"
#include <set>

namespace patchbay {

/// Functions that an option selects. The runtime matches symbols as they are,
/// so it is told the mangled names of those that only match demangled.
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
  /// Of the program, which it may load.
  std::vector<std::string> Arguments;
  /// Below what debug files are looked for.
  std::vector<std::string> Roots = {""};
  /// What becomes of a program in which there is none of it; may be empty.
  std::string OrElse;
};

/// Looks for it in Program, which the kernel runs for Path, and in the
/// libraries that it needs. Fails if to run it with Tracer would show nothing.
llvm::Error checkProgram(llvm::StringRef Path, const ElfImage &Program,
                         const ElfImage &Tracer, Wanted &W);

/// The same of a process that runs, as the files are that it has mapped.
llvm::Error checkMapped(const ProcessMemory &Memory, Wanted &W);

} // namespace patchbay

#endif
