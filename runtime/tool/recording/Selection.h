// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the functions that the options of `record` select.
#pragma once

#include "TypedArgs.h"
#include "live/ProcessMemory.h"

namespace patchbay {

/// The functions that one option selects. Symbols has the functions that match by
/// demangled name, since the runtime matches only symbols.
struct Selection {
  Selection(llvm::StringRef Name, std::vector<std::string> Given)
      : Name(Name), Globs(std::move(Given)), Filter(Globs) {}
  llvm::StringRef Name; // name of the option in PATCHBAY
  std::vector<std::string> Globs;
  NameFilter Filter;
  std::set<std::string> Symbols;
};

struct Wanted {
  std::vector<Selection> Selections;
  TypedArgs Typed;
  /// Arguments of the program, which may include paths of libraries.
  std::vector<std::string> Arguments;
  /// Directories to search for debug files.
  std::vector<std::string> Roots = {""};
  /// For messages: what happens in a program without selected functions; may be empty.
  std::string OrElse;
};

/// Searches Program and its libraries. Program is the ELF file that the kernel runs for
/// Path. Fails if a recording with Tracer would have no functions.
llvm::Error checkProgram(llvm::StringRef Path, const ElfImage &Program,
                         const ElfImage &Tracer, Wanted &W);

/// Searches the mapped files of a running process.
llvm::Error checkMapped(const ProcessMemory &Memory, Wanted &W);

} // namespace patchbay
