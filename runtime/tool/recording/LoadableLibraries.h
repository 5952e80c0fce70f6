// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that a program may load by dlopen(3). They are unknown until then, but most
// are in places where the program or its user makes the loader search.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// Files with names of libraries, each with the path that the loader would use.
/// Looks at arguments of Program and at names in its constants. Looks beside
/// Program, and in directories of LD_LIBRARY_PATH and of DT_RUNPATH or DT_RPATH
/// of Program and of the libraries that it Needs. Returns at most 2,000.
std::vector<std::string> loadableLibraries(const ElfImage &Program,
                                           llvm::ArrayRef<std::string> Needs,
                                           llvm::ArrayRef<std::string> Arguments);

} // namespace patchbay
