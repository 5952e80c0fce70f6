// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameParts.h"

using namespace llvm;
using namespace patchbay;

bool patchbay::isWord(char C) { return pb_is_word(C); }

bool patchbay::isParameters(StringRef Part, StringRef Before) {
  return pb_is_parameters(Part.data(), Part.size(), Before.empty() ? 0 : Before.back());
}
