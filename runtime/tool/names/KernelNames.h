// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the running kernel, from /proc/kallsyms. Their addresses
// change with each boot, and not all users may see them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace patchbay {

class KernelNames {
public:
  /// The function that contains Address, for the boot with that id. Empty if
  /// this machine has another one, or if we may not see it.
  llvm::StringRef at(uint64_t Address, llvm::StringRef BootId);

private:
  void read();

  struct Symbol {
    uint64_t Address;
    std::string Name;
  };
  std::vector<Symbol> Symbols; // by address
  std::optional<std::string> BootId; // of this machine, once read
  bool IsRead = false;
};

} // namespace patchbay
