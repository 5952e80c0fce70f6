// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static calls: see StaticCalls.cpp for what they are. The functions below are
// all that the rest of LLD knows of them, in the order in which a link calls
// them. Each does nothing unless --static-calls is given.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALLS_H
#define PATCHBAY_LLD_ELF_STATIC_CALLS_H

namespace lld::elf {
struct Ctx;

// After the input files are parsed: pull the keys of all static calls out of
// archives, as a call refers to its key only through its tramp. The options are
// --static-calls, --static-calls-same-toc and --static-calls-relocatable.
void initStaticCalls(Ctx &, bool enabled, bool sameToc, bool relocatable);

// Once symbol resolution is complete but for LTO, before version scripts: give
// every static call that has no tramp yet one.
void declareStaticCalls(Ctx &);

// After LTO, before markLive: define the tramps; a live one keeps its key
// alive.
void defineStaticCalls(Ctx &);

// After createSyntheticSections: forget the tramps that nothing calls.
void dropDeadStaticCalls(Ctx &);

// After postScanRelocations, when it is known which symbols can be preempted:
// check keys and calls, and find out where each tramp goes first.
void resolveStaticCalls(Ctx &);

// With -r, when output sections have their numbers.
void linkStaticCallRelocations(Ctx &);

} // namespace lld::elf

#endif
