// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --color, --no-pager and --full-names, for verbs whose output is read by
// people.
#pragma once

#include "Verb.h"
#include "support/Terminal.h"
#include <optional>

namespace patchbay {

struct DisplayOptions {
  /// WithPager: the output may be long. WithNames: the output has names of
  /// functions.
  explicit DisplayOptions(OptionTable &Table, bool WithPager = true, bool WithNames = false)
      : WithPager(WithPager),
        Color(Table.in("Display"), "color", "WHEN", "Use colours", ColorMode::Auto,
              {{"auto", ColorMode::Auto, "on terminals, unless NO_COLOR is set (default)"},
               {"always", ColorMode::Always, "in files and pipes, too"},
               {"never", ColorMode::Never, "never"}},
              /*OrElse=*/"always"),
        NoPager(Table, "no-pager", "Do not start a pager") {
    Table.Display = this;
    if (WithNames)
      FullNames.emplace(Table, "full-names", "Show full function names");
  }

  bool WithPager;
  ChoiceOption<ColorMode> Color;
  FlagOption NoPager;
  std::optional<FlagOption> FullNames;
};

} // namespace patchbay
