// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the running kernel, from /proc/kallsyms. Their addresses
// change with each boot, and not every user may see them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace patchbay {

class KernelNames {
public:
  /// The name of the function that contains Address. Empty if BootId is not the
  /// id of the current boot, or if we may not see addresses.
  llvm::StringRef at(uint64_t Address, llvm::StringRef BootId);

private:
  void read();

  struct Symbol {
    uint64_t Address;
    std::string Name;
  };
  std::vector<Symbol> Symbols; // sorted by address
  std::optional<std::string> BootId; // id of the current boot, once it is read
  bool IsRead = false;
};

} // namespace patchbay
