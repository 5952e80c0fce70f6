// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the options ask a link to do about static calls.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_MODE_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_MODE_H

#include "StaticCalls.h"
#include "lld/Common/LLVM.h"
#include "patchbay/abi.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace lld::elf {

struct StaticCallMode {
  // --static-calls-kernel, and -r: the output is Linux or a module of it. Its
  // keys are the kernel's, which only have to begin with the pointer; it takes
  // the addresses of thunks, to update and to export them; it has a section of
  // its own that leads from one to the other (.static_call_tramp_key); and all
  // that it reads of ours is the table of the branches.
  bool kernel = false;
  // --static-call-sites: the thunks are in the input, and the output gets the
  // table of the branches to them.
  bool sitesOnly = false;
  // --static-calls-same-toc.
  bool sameToc = false;

  // --static-calls-key-prefix, --static-calls-thunk-prefix and
  // --static-calls-toc-symbol: how names begin, and where a kernel says that it
  // keeps its TOC pointer. The defaults are Linux's.
  StringRef keyPrefix = PATCHBAY_SCK_PREFIX;
  StringRef thunkPrefix = PATCHBAY_SCT_PREFIX;
  StringRef tocSymbol = "__static_call_toc_offset";

  // As it is given, for messages.
  const char *option = "--static-calls";

  bool makesThunks() const { return !sitesOnly; }
};

// Read the options, and report what does not go together or has no effect.
// Return nullopt if this link has nothing to do.
std::optional<StaticCallMode>
readStaticCallMode(Ctx &, const llvm::opt::InputArgList &);

} // namespace lld::elf

#endif
