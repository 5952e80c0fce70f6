// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules that the loader of a running process has loaded, in the order in
// which it looks up symbols. Reads the list that the loader keeps for debuggers
// (struct r_debug in <link.h>), without stopping any thread.
#pragma once

#include "live/ProcessMemory.h"

namespace patchbay {

struct LoadedModule {
  /// Segments are mapped in multiples of this at least.
  static constexpr uint64_t PageSize = 4096;
  struct Range {
    uint64_t Start, End;
    bool contains(uint64_t Address) const {
      return Address - Start < End - Start;
    }
  };
  struct Function {
    uint64_t Start, Size;
    uint32_t Name; // in Names
    uint32_t Hash; // of its name, as in DT_GNU_HASH, except for the lowest bit
  };

  std::string Path;
  std::string Name; // the loader's name for it
  uint64_t Base = 0;
  std::vector<Range> Text;  // executable, without the rest of the last page
  std::vector<Range> Constant; // pages that are never written, such as tables
  uint64_t FrameHeader = 0; // .eh_frame_hdr; 0: none
  /// Never unloaded: the program, its dependences, the loader.
  bool IsPermanent = false;
  /// Exported functions, in no order. There are thousands, and few are looked up.
  std::vector<Function> Functions;
  std::vector<char> Names;

  bool containsCode(uint64_t Address) const;
  /// Only its beginning if it is longer than any name that callers look up.
  llvm::StringRef nameOf(const Function &F) const;
  /// 0 if it is not exported.
  uint64_t find(llvm::StringRef Name) const;
};

/// Finds the exported function that contains an address. The module must not
/// move meanwhile.
class FunctionsByAddress {
public:
  explicit FunctionsByAddress(const LoadedModule &Module);
  /// By its size; empty if none.
  llvm::StringRef at(uint64_t Address) const;

private:
  const LoadedModule &Module;
  std::vector<LoadedModule::Function> Functions;
};

class LoadedModules {
public:
  /// Fails with one line if there is no loader, or if it is busy all the time.
  static llvm::Expected<LoadedModules> read(ProcessMemory &Memory);

  const std::vector<LoadedModule> &all() const { return Modules; }
  /// Nullptr if no module's code contains the address.
  const LoadedModule *at(uint64_t Address) const;
  /// Does the byte stay the same while the process lives, except for armed sites? Not in
  /// a module that can be unloaded, since another one may take its place.
  bool isConstant(uint64_t Address) const;
  /// As dlsym(RTLD_DEFAULT) finds it; 0 if no module exports it.
  uint64_t find(llvm::StringRef Name) const;
  /// The first module that exports it, which is the one that calls reach.
  const LoadedModule *provider(llvm::StringRef Name) const;

private:
  static llvm::Expected<LoadedModules> readOnce(const ProcessMemory &Memory);

  std::vector<LoadedModule> Modules;
};

/// What the kernel told the process at its start, such as AT_PHDR; 0: unknown.
uint64_t auxiliaryValue(const ProcessMemory &Memory, uint64_t Type);

} // namespace patchbay
