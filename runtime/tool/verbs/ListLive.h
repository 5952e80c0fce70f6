// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay list --live`: the functions of a running process.
#pragma once

#include "names/NameFilter.h"
#include "llvm/Support/Error.h"

namespace patchbay {

/// Shows functions that match Filter, and do not match Without (nullptr: excludes
/// none). Returns the exit code.
llvm::Expected<int> listLive(unsigned Pid, NameFilter &Filter,
                             NameFilter *Without, bool Json);

} // namespace patchbay
