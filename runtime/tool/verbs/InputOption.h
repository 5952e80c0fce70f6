// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option for the recording that a verb reads: -i DIR, as in perf, or DIR alone.
#pragma once

#include "Verb.h"
#include "recording/OutputDir.h"

namespace patchbay {

class InputOption : public std::string {
public:
  explicit InputOption(OptionTable &Table)
      : std::string(DefaultDataDir), Alone(*this, Table, "", "[DIR]", ""),
        Named(*this, Table, "i,input", "DIR", "Read DIR or a .pbd file (default: patchbay.data)") {}
  bool isGiven() const { return Alone.given() || Named.given(); }

private:
  struct Row : OptionRow {
    template <typename... ArgsT>
    Row(InputOption &Of, ArgsT &&...Args) : OptionRow(Args...), Of(Of) {}
    llvm::Error set(llvm::StringRef, llvm::StringRef) override { return Of.choose(); }
    llvm::StringRef last() const { return Words.empty() ? "" : llvm::StringRef(Words.back()); }
    InputOption &Of;
  };
  llvm::Error choose() {
    if (!Named.last().empty() && !Alone.last().empty())
      return makeError(Usage, "two recordings are given: use DIR or -i DIR, not both");
    llvm::StringRef Given = Named.last().empty() ? Alone.last() : Named.last();
    assign(Given.empty() ? DefaultDataDir : Given.str());
    return llvm::Error::success();
  }
  Row Alone, Named;
};

} // namespace patchbay
