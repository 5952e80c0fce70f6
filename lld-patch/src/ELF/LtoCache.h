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

// Whether LTO compiles with a plugin, in this process or in another.
bool usesPassPlugin(Ctx &);

// Called after the options are read. Add the plugins, their options and the
// files that they read to the key of LTO's cache. Warn if LTO ignores
// --load-pass-plugin=.
void addPluginsToLtoCacheKey(Ctx &, const llvm::opt::InputArgList &);

// Return a cache that adds no objects after the link has reported an error.
llvm::FileCache makePluginLtoCache(Ctx &, llvm::FileCache);

} // namespace lld::elf

#endif
