// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static calls: StaticCalls.cpp explains them. LLD only calls the functions
// below, in this order. Each does nothing unless --static-calls,
// --static-calls-kernel or --static-call-sites is given (with -r,
// --static-calls-relocatable or --static-call-sites).

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

// Called after symbol resolution except LTO's, before version scripts. Give
// every static call without a thunk a thunk.
void declareStaticCalls(Ctx &);

// Called after LTO, before markLive. Define the thunks; a live one keeps its
// key alive.
void defineStaticCalls(Ctx &);

// Called after createSyntheticSections. Drop the thunks that nothing calls, and
// add the sections that the remaining ones need.
void addStaticCallSections(Ctx &);

// Called when symbols, relocations and the sections that the linker script
// discards are known. Check keys and calls, and find the first target of each
// thunk.
void resolveStaticCalls(Ctx &);

// Called when output sections have their numbers.
void linkStaticCallRelocations(Ctx &);

// For -Map, which otherwise lists only symbols of files: add those of the
// thunks.
void listStaticCallSymbols(Ctx &, std::vector<Defined *> &);

} // namespace lld::elf

#endif
