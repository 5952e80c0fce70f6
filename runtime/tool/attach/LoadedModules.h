// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the loader of a running process has loaded, in the order in which it looks
// symbols up: read from the list that it keeps for debuggers (struct r_debug in
// <link.h>), without stopping anybody.
#ifndef PATCHBAY_TOOL_ATTACH_LOADEDMODULES_H
#define PATCHBAY_TOOL_ATTACH_LOADEDMODULES_H

#include "live/ProcessMemory.h"

namespace patchbay {

struct LoadedModule {
  /// What a segment is mapped in multiples of, at least.
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
    uint32_t Hash; // of its name, as DT_GNU_HASH has it, but for the lowest bit
  };

  std::string Path;
  std::string Name; // what the loader knows it by
  uint64_t Base = 0;
  std::vector<Range> Text;  // what can be executed, without the last page's rest
  std::vector<Range> Constant; // pages that cannot be written, as of tables
  uint64_t FrameHeader = 0; // .eh_frame_hdr; 0: none
  /// It is never unloaded: the program, what that needs, the loader.
  bool IsPermanent = false;
  /// Functions that it exports. There are thousands, of which few are asked
  /// for: they stay as they were read, in no order.
  std::vector<Function> Functions;
  std::vector<char> Names;

  bool containsCode(uint64_t Address) const;
  /// Its beginning, if it is longer than any that is asked for.
  llvm::StringRef nameOf(const Function &F) const;
  /// 0 if it is not exported.
  uint64_t find(llvm::StringRef Name) const;
};

/// Which of the functions that a module exports an address is in. The module
/// stays where it is meanwhile.
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
  /// Fails with one line if there is no loader, or it is at work all the time.
  static llvm::Expected<LoadedModules> read(ProcessMemory &Memory);

  const std::vector<LoadedModule> &all() const { return Modules; }
  /// Nullptr if the address is in no module's code.
  const LoadedModule *at(uint64_t Address) const;
  /// Whether it stays as it is as long as the process lives, but for what is armed:
  /// not of a module that can be unloaded, in whose place another one may come.
  bool isConstant(uint64_t Address) const;
  /// As dlsym(RTLD_DEFAULT) finds it; 0 if nobody exports it.
  uint64_t find(llvm::StringRef Name) const;
  /// The first that exports it, which is who is called.
  const LoadedModule *provider(llvm::StringRef Name) const;

private:
  static llvm::Expected<LoadedModules> readOnce(const ProcessMemory &Memory);

  std::vector<LoadedModule> Modules;
};

} // namespace patchbay

#endif
