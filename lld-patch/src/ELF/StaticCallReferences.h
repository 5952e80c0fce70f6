// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What refers to thunks: branches, which are what static calls are made of, and
// keys. Both the final link and -r go through this.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_REFERENCES_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_REFERENCES_H

#include "StaticCallThunk.h"

namespace lld::elf {

// A branch to a thunk.
struct StaticCallSite {
  InputSection *sec;
  uint64_t offset;
  const StaticCallThunk *thunk;
  bool isTail;
};

// Check every reference to the thunks, which are keys' if they are no branches
// (a kernel may have others), prepare the branches for them, and return these
// in the order of the input.
SmallVector<StaticCallSite, 0>
resolveStaticCallReferences(Ctx &, const StaticCallMode &,
                            const StaticCallArch &, StaticCallIndex &,
                            ArrayRef<StaticCallThunk *>);

} // namespace lld::elf

#endif
