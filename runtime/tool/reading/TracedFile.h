// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of a module that was traced.
#ifndef PATCHBAY_TOOL_TRACEDFILE_H
#define PATCHBAY_TOOL_TRACEDFILE_H

#include "elf/ElfImage.h"

namespace patchbay {

/// Fails if the file is gone, or has another build id. Symfs: see NameSources.
llvm::Expected<ElfImage> openTraced(llvm::StringRef Path, llvm::StringRef BuildId,
                                    llvm::StringRef Symfs);

} // namespace patchbay

#endif
