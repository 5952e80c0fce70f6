// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the list of loaded modules that the loader of a running process keeps for debuggers
// (struct r_debug in <link.h>), without stopping any thread. The modules are in the order in
// which the loader looks up symbols.
#pragma once

#include "live/ProcessMemory.h"

namespace patchbay {

struct LoadedModule {
  /// The smallest page size of any machine.
  static constexpr uint64_t PageSize = 4096;
  struct Range {
    uint64_t Start, End;
    bool contains(uint64_t Address) const {
      return Address - Start < End - Start;
    }
  };
  struct Function {
    uint64_t Start, Size;
    uint32_t Name; // offset in Names
    uint32_t Hash; // hash of the name, as in DT_GNU_HASH, except for the lowest
                   // bit
  };

  std::string Path;
  std::string Name; // the loader's name for the module
  uint64_t Base = 0;
  std::vector<Range> Text;  // executable ranges
  std::vector<Range> Constant; // ranges that are never written, such as tables
  uint64_t FrameHeader = 0; // .eh_frame_hdr; 0: none
  /// Is the module never unloaded? True for the program, its dependencies, and the loader.
  bool IsPermanent = false;
  /// Exported functions, unsorted: sorting thousands takes longer than the few lookups.
  std::vector<Function> Functions;
  std::vector<char> Names;

  bool containsCode(uint64_t Address) const;
  /// The function's name, cut to the length of the longest name that callers look up.
  llvm::StringRef nameOf(const Function &F) const;
  /// The address of an exported function; 0 if no function has this name.
  uint64_t find(llvm::StringRef Name) const;
};

/// Finds the exported function that contains an address. The LoadedModule object must not
/// move during the lifetime of this object.
class FunctionsByAddress {
public:
  explicit FunctionsByAddress(const LoadedModule &Module);
  /// The name of the function that contains the address; empty if no function does.
  llvm::StringRef at(uint64_t Address) const;

private:
  const LoadedModule &Module;
  std::vector<LoadedModule::Function> Functions;
};

class LoadedModules {
public:
  /// Fails if the process has no loader, or if the loader keeps changing its list.
  static llvm::Expected<LoadedModules> read(ProcessMemory &Memory);

  const std::vector<LoadedModule> &all() const { return Modules; }
  /// The module whose code contains the address, or nullptr.
  const LoadedModule *at(uint64_t Address) const;
  /// Is the byte constant while the process lives, except for armed sites? Returns false in
  /// a module that can be unloaded, since another module may be mapped there later.
  bool isConstant(uint64_t Address) const;
  /// The address that dlsym(RTLD_DEFAULT) would return; 0 if no module exports
  /// the name.
  uint64_t find(llvm::StringRef Name) const;
  /// The first module that exports the name. Calls of the function reach this module.
  const LoadedModule *provider(llvm::StringRef Name) const;

private:
  static llvm::Expected<LoadedModules> readOnce(const ProcessMemory &Memory);

  std::vector<LoadedModule> Modules;
};

/// A value of the auxiliary vector, such as AT_PHDR; 0 if it is missing.
uint64_t auxiliaryValue(const ProcessMemory &Memory, uint64_t Type);

} // namespace patchbay
