// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --symfs, for verbs that show function names of a recording.
#pragma once

#include "Verb.h"

namespace patchbay {

struct SymfsOption : StringOption {
  explicit SymfsOption(OptionTable &Table)
      : StringOption(Table.in("General"), "symfs", "DIR",
                     "Search traced files and their debug files below DIR") {}
};

} // namespace patchbay
