// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules that the loader of a running process has loaded, in the order in
// which the loader looks up symbols. Reads the list that the loader keeps for
// debuggers (struct r_debug in <link.h>), without stopping any thread.
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
  std::string Name; // the loader's name for it
  uint64_t Base = 0;
  std::vector<Range> Text;  // executable ranges
  std::vector<Range> Constant; // ranges that are never written, such as tables
  uint64_t FrameHeader = 0; // .eh_frame_hdr; 0: none
  /// Never unloaded: the program, its dependencies, and the loader.
  bool IsPermanent = false;
  /// Exported functions, in no order: there are thousands, and few lookups.
  std::vector<Function> Functions;
  std::vector<char> Names;

  bool containsCode(uint64_t Address) const;
  /// The function's name. Names longer than any that callers look up are cut.
  llvm::StringRef nameOf(const Function &F) const;
  /// The address of an exported function; 0 if there is none of this name.
  uint64_t find(llvm::StringRef Name) const;
};

/// Finds the exported function that contains an address. The module must not be
/// moved during the lifetime of this object.
class FunctionsByAddress {
public:
  explicit FunctionsByAddress(const LoadedModule &Module);
  /// The name of the function whose size covers the address; empty if there is
  /// none.
  llvm::StringRef at(uint64_t Address) const;

private:
  const LoadedModule &Module;
  std::vector<LoadedModule::Function> Functions;
};

class LoadedModules {
public:
  /// Fails with one line if there is no loader, or if the loader keeps changing
  /// its list.
  static llvm::Expected<LoadedModules> read(ProcessMemory &Memory);

  const std::vector<LoadedModule> &all() const { return Modules; }
  /// The module whose code contains the address, or nullptr.
  const LoadedModule *at(uint64_t Address) const;
  /// Does the byte stay the same while the process lives, except for armed sites? False
  /// in a module that can be unloaded, since another module may be mapped there.
  bool isConstant(uint64_t Address) const;
  /// The address that dlsym(RTLD_DEFAULT) would return; 0 if no module exports
  /// the name.
  uint64_t find(llvm::StringRef Name) const;
  /// The first module that exports the name, which is the one that calls reach.
  const LoadedModule *provider(llvm::StringRef Name) const;

private:
  static llvm::Expected<LoadedModules> readOnce(const ProcessMemory &Memory);

  std::vector<LoadedModule> Modules;
};

/// A value of the auxiliary vector, such as AT_PHDR; 0 if it is missing.
uint64_t auxiliaryValue(const ProcessMemory &Memory, uint64_t Type);

} // namespace patchbay
