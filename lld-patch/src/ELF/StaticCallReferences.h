// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The references to thunks: the branches of static calls, and keys. Used by
// both the final link and -r.

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

// Check that every reference to a thunk is a branch or is in its key (a kernel
// may have others). Prepare the branches for the thunks. Return the branches in
// the order of the input.
SmallVector<StaticCallSite, 0>
resolveStaticCallReferences(Ctx &, const StaticCallMode &,
                            const StaticCallArch &, StaticCallIndex &,
                            ArrayRef<StaticCallThunk *>);

} // namespace lld::elf

#endif
