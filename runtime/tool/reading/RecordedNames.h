// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols of traced functions, as recorded by their process: see pbd_names.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace patchbay {

class RecordedNames {
public:
  using Name = std::pair<uint64_t, llvm::StringRef>; // ELF address, symbol

  /// Reads the data after pbd_names::module. Thousands of processes may have
  /// the same names, so these are kept once, until the command ends.
  static llvm::Expected<const RecordedNames *> read(llvm::StringRef Bytes);

  /// All names, sorted by address.
  llvm::ArrayRef<Name> all() const { return Names; }
  /// The names of one function.
  llvm::ArrayRef<Name> at(uint64_t Entry) const;

private:
  std::vector<Name> Names;
};

} // namespace patchbay
