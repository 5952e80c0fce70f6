// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds libraries that a program may load by dlopen(3). They are not known before that,
// but most are in folders that the program or its user tells the loader to search.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// Files of possible libraries, each with the path that the loader would use.
/// Searches the arguments of Program, names in its constants, the folder of
/// Program, the directories of LD_LIBRARY_PATH, and DT_RUNPATH or DT_RPATH of
/// Program and of the libraries that it Needs. Returns at most 2,000.
std::vector<std::string> loadableLibraries(const ElfImage &Program,
                                           llvm::ArrayRef<std::string> Needs,
                                           llvm::ArrayRef<std::string> Arguments);

} // namespace patchbay
