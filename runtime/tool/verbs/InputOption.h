// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording that a verb reads: -i DIR, as with perf, or DIR without -i.
#pragma once

#include "Verb.h"
#include "recording/OutputDir.h"

namespace patchbay {

class InputOption {
public:
  explicit InputOption(OptionTable &Table)
      : Alone(Table, "", "[DIR]", ""),
        Named(Table, "i,input", "DIR", "Read DIR or a .pbd file (default: patchbay.data)") {}

  bool isGiven() const { return Alone.given() || Named.given(); }
  llvm::Expected<std::string> get() const {
    if (!Named.empty() && !Alone.empty())
      return makeError(Usage, "two recordings are given: use DIR or -i DIR, not both");
    const std::string &Given = Named.empty() ? Alone : Named;
    return Given.empty() ? DefaultDataDir : Given;
  }

private:
  StringOption Alone, Named;
};

} // namespace patchbay
