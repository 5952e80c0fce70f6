// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the options ask a link to do about static calls.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_MODE_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_MODE_H

#include "StaticCalls.h"
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
