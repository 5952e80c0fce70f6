// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the linker for static calls.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_MODE_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_MODE_H

#include "StaticCalls.h"
#include "lld/Common/LLVM.h"
#include "patchbay/abi.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace lld::elf {

struct StaticCallMode {
  // --static-calls-kernel, or -r: the output is a Linux kernel or module.
  // - A key may be any variable that begins with the pointer.
  // - The kernel takes the addresses of thunks, to update and export thunks.
  // - The kernel's section .static_call_tramp_key maps thunks to keys.
  // - The linker makes only the table of branches.
  bool kernel = false;
  // --static-call-sites: the input has thunks, and the output gets a table of
  // the branches to thunks.
  bool sitesOnly = false;
  // --static-calls-same-toc.
  bool sameToc = false;

  // --static-calls-key-prefix, --static-calls-thunk-prefix and
  // --static-calls-toc-symbol. The defaults are Linux's names. The value of the
  // TOC symbol is the offset of the kernel's TOC pointer from r13.
  StringRef keyPrefix = PATCHBAY_SCK_PREFIX;
  StringRef thunkPrefix = PATCHBAY_SCT_PREFIX;
  StringRef tocSymbol = "__static_call_toc_offset";

  // The option that enables static calls, for messages.
  const char *option = "--static-calls";

  bool makesThunks() const { return !sitesOnly; }
};

// Read the options. Report conflicts and options without effect. Return nullopt
// if this link has no static calls to process.
std::optional<StaticCallMode>
readStaticCallMode(Ctx &, const llvm::opt::InputArgList &);

} // namespace lld::elf

#endif
