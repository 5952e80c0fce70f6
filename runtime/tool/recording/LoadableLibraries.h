// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that a program may load by dlopen(3) while it runs. Nobody can know them; but
// most are where the program, or its user, tells the loader to look.
#ifndef PATCHBAY_TOOL_LOADABLELIBRARIES_H
#define PATCHBAY_TOOL_LOADABLELIBRARIES_H

#include "elf/ElfImage.h"

namespace patchbay {

/// Files that are libraries by their names, each with a path as the loader would make it:
/// arguments of Program, names in its constants, and all that is beside it, or in a
/// directory of LD_LIBRARY_PATH or of the DT_RUNPATH or DT_RPATH of Program and of the
/// libraries that it Needs. There are 2,000 at most.
std::vector<std::string> loadableLibraries(const ElfImage &Program,
                                           llvm::ArrayRef<std::string> Needs,
                                           llvm::ArrayRef<std::string> Arguments);

} // namespace patchbay

#endif
