// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks for static calls (see StaticCalls.cpp). LLD calls the functions
// below, in this order. They do nothing unless the link has one of these
// options:
// - without -r: --static-calls, --static-calls-kernel, --static-call-sites
// - with -r: --static-calls-relocatable, --static-call-sites

#ifndef PATCHBAY_LLD_ELF_STATIC_CALLS_H
#define PATCHBAY_LLD_ELF_STATIC_CALLS_H

#include <vector>

namespace llvm::opt {
class InputArgList;
}

namespace lld::elf {
struct Ctx;
class Defined;

// Called after the input files are parsed. Read the options, and pull the keys
// of all static calls out of archives, because a call refers to its key only
// through its thunk.
void initStaticCalls(Ctx &, const llvm::opt::InputArgList &);

// Called after symbol resolution but before LTO and version scripts. Declare a
// thunk for every static call that has none.
void declareStaticCalls(Ctx &);

// Called after LTO, before markLive. Define the thunks; a live thunk keeps its
// key alive.
void defineStaticCalls(Ctx &);

// Called after createSyntheticSections. Drop the thunks that nothing calls. Add
// the sections that live thunks need.
void addStaticCallSections(Ctx &);

// Called when symbols, relocations and the sections that the linker script
// discards are known. Check keys and calls, and find the first target of each
// thunk.
void resolveStaticCalls(Ctx &);

// Called when output sections have their numbers.
void linkStaticCallRelocations(Ctx &);

// Add the symbols of thunks to the list for -Map, which has only symbols that
// input files define.
void listStaticCallSymbols(Ctx &, std::vector<Defined *> &);

} // namespace lld::elf

#endif
