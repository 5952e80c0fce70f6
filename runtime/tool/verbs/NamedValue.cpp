// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NamedValue.h"

using namespace llvm;

StringRef patchbay::nearestName(StringRef Text, ArrayRef<StringRef> Names) {
  SmallVector<StringRef> Near;
  for (StringRef Name : Names)
    if (Text.size() > 2 &&
        (Name.contains(Text) || Name.edit_distance(Text) <= Text.size() / 3))
      Near.push_back(Name);
  return Near.size() == 1 ? Near.front() : StringRef();
}
