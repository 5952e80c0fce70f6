// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `patchbay tui` shows: of a recording, or of the last moment of a process.
#ifndef PATCHBAY_TOOL_FIGURES_H
#define PATCHBAY_TOOL_FIGURES_H

#include "names/ShortNames.h"
#include "showing/CallTree.h"
#include "showing/Durations.h"

namespace patchbay {

/// What is the same function in several readings of a recording that grows.
using FunctionKey = std::pair<std::string, uint64_t>; // module and address

struct Figures {
  std::string Title;
  std::unique_ptr<Trace> T;
  std::vector<FunctionDurations> Functions; // by index in T->Functions
  CallTree Tree;
  /// Of a process: Functions and Tree are of so many seconds, and this is how many
  /// calls there were before, too. 0: of a whole recording.
  double Seconds = 0;
  std::vector<uint64_t> AllCalls; // as Functions
  std::string Note;               // what is missing

  /// To be called when all has been read: functions are found until then.
  void readNames();
  /// What a function is called in a place of that many columns: no other one is
  /// called the same anywhere.
  const std::string &nameIn(uint32_t Function, size_t Width) const {
    return Names.fit(Function, Width);
  }

  FunctionKey key(uint32_t Function) const {
    return {T->Functions[Function].Module, T->Functions[Function].Entry};
  }
  bool hasTree() const { return Tree.size() > 1; }

private:
  mutable ShortNames Names; // of T->Functions
};

} // namespace patchbay

#endif
