// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the kernel that runs here, as /proc/kallsyms has them: addresses are
// others each time that a machine is started, and not for everybody to see.
#ifndef PATCHBAY_TOOL_KERNELNAMES_H
#define PATCHBAY_TOOL_KERNELNAMES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace patchbay {

class KernelNames {
public:
  /// The function that Address is in, of the machine that was started with that id;
  /// empty if that is not this one, or nobody may know.
  llvm::StringRef at(uint64_t Address, llvm::StringRef BootId);

private:
  void read();

  struct Symbol {
    uint64_t Address;
    std::string Name;
  };
  std::vector<Symbol> Symbols; // by address
  std::optional<std::string> BootId; // of this machine, once it was asked
  bool IsRead = false;
};

} // namespace patchbay

#endif
