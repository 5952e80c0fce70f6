// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --color, --no-pager and --full-names, for verbs with output for people.
#ifndef PATCHBAY_TOOL_DISPLAYOPTIONS_H
#define PATCHBAY_TOOL_DISPLAYOPTIONS_H

#include "Verb.h"
#include "support/Terminal.h"
#include <optional>

namespace patchbay {

struct DisplayOptions {
  /// WithPager: the output may be long. WithNames: the output has function names.
  explicit DisplayOptions(llvm::cl::SubCommand &Command, bool WithPager = true,
                          bool WithNames = false)
      : WithPager(WithPager),
        Color("color", llvm::cl::value_desc("WHEN"), llvm::cl::sub(Command),
              llvm::cl::cat(ToolOptions), llvm::cl::init(ColorMode::Auto),
              llvm::cl::desc("Use colours"),
              llvm::cl::values(
                  clEnumValN(ColorMode::Auto, "auto",
                             "on terminals, unless NO_COLOR is set (default)"),
                  clEnumValN(ColorMode::Always, "always", "in files and pipes, too"),
                  clEnumValN(ColorMode::Never, "never", "never"))),
        NoPager("no-pager", llvm::cl::sub(Command), llvm::cl::cat(ToolOptions),
                llvm::cl::desc("Do not start a pager")),
        Of(Command), Next(First) {
    First = this;
    if (WithNames)
      FullNames.emplace("full-names", llvm::cl::sub(Command), llvm::cl::cat(ToolOptions),
                        llvm::cl::desc("Show full function names"));
  }
  /// The display options of a verb, null if it has none.
  static const DisplayOptions *of(const llvm::cl::SubCommand &Command) {
    const DisplayOptions *Found = First;
    while (Found && &Found->Of != &Command)
      Found = Found->Next;
    return Found;
  }

  bool WithPager;
  llvm::cl::opt<ColorMode> Color;
  llvm::cl::opt<bool> NoPager;
  std::optional<llvm::cl::opt<bool>> FullNames;

private:
  const llvm::cl::SubCommand &Of;
  const DisplayOptions *Next;
  inline static const DisplayOptions *First = nullptr;
};

} // namespace patchbay

#endif
