// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static calls: see StaticCalls.cpp for what they are. The functions below are
// all that the rest of LLD knows of them, in the order in which a link calls
// them. Each does nothing unless --static-calls, --static-calls-kernel or
// --static-call-sites is given (with -r, --static-calls-relocatable or
// --static-call-sites).

#ifndef PATCHBAY_LLD_ELF_STATIC_CALLS_H
#define PATCHBAY_LLD_ELF_STATIC_CALLS_H

#include <vector>

namespace llvm::opt {
class InputArgList;
}

namespace lld::elf {
struct Ctx;
class Defined;

// After the input files are parsed: read the options, and pull the keys of all
// static calls out of archives, as a call refers to its key only through its
// thunk.
void initStaticCalls(Ctx &, const llvm::opt::InputArgList &);

// Once symbol resolution is complete but for LTO, before version scripts: give
// every static call that has no thunk yet one.
void declareStaticCalls(Ctx &);

// After LTO, before markLive: define the thunks; a live one keeps its key
// alive.
void defineStaticCalls(Ctx &);

// After createSyntheticSections: forget the thunks that nothing calls, and add
// the other sections that the rest need.
void addStaticCallSections(Ctx &);

// When symbols, relocations and what the linker script discards are known:
// check keys and calls, and find out where each thunk goes first.
void resolveStaticCalls(Ctx &);

// When output sections have their numbers.
void linkStaticCallRelocations(Ctx &);

// For -Map, which otherwise lists symbols of files: add those of the thunks.
void listStaticCallSymbols(Ctx &, std::vector<Defined *> &);

} // namespace lld::elf

#endif
