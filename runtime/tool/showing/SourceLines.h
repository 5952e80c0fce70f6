// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source locations of a recording's functions, from debug information (-g).
#pragma once

#include "arguments/DwarfFunctions.h"
#include "reading/Trace.h"

namespace patchbay {

class SourceLines {
public:
  /// "a.c:3"; empty if the traced file is missing, or has no debug information.
  std::string of(const Trace &T, const TraceFunction &Function);

private:
  struct File {
    std::optional<ElfImage> Image;
    std::unique_ptr<DwarfFunctions> Functions;
  };
  std::map<std::pair<std::string, std::string>, File> Files; // by path and build id
};

} // namespace patchbay
