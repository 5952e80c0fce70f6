// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --thinlto-cache-dir= for links that load a pass plugin: see LtoCache.cpp.

#ifndef PATCHBAY_LLD_ELF_LTO_CACHE_H
#define PATCHBAY_LLD_ELF_LTO_CACHE_H

#include "llvm/Support/Caching.h"

namespace llvm::opt {
class InputArgList;
}

namespace lld::elf {
struct Ctx;

// Whether what LTO compiles, here or elsewhere, is compiled with a plugin.
bool usesPassPlugin(Ctx &);

// Once the options are read: make what the pass plugins do a part of the key
// by which LTO looks objects up in its cache, and warn where they do not reach.
void addPluginsToLtoCacheKey(Ctx &, const llvm::opt::InputArgList &);

// The cache, but it never keeps an object of a link that has reported an error.
llvm::FileCache makePluginLtoCache(Ctx &, llvm::FileCache);

} // namespace lld::elf

#endif
