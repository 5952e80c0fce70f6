// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The references to thunks: the branches of static calls, and the pointers in
// keys. The final link and -r both use this file.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALL_REFERENCES_H
#define PATCHBAY_LLD_ELF_STATIC_CALL_REFERENCES_H

#include "StaticCallThunk.h"

namespace lld::elf {

struct StaticCallSite {
  InputSection *sec;
  uint64_t offset;
  const StaticCallThunk *thunk;
  bool isTail;
};

// Check that every reference to a thunk is a branch or the thunk pointer in the
// thunk's key (a kernel may take a thunk's address anywhere). Make the branches
// go to the thunks. Return the branches in the order of the input.
SmallVector<StaticCallSite, 0>
resolveStaticCallReferences(Ctx &, const StaticCallMode &,
                            const StaticCallArch &, StaticCallIndex &,
                            ArrayRef<StaticCallThunk *>);

} // namespace lld::elf

#endif
