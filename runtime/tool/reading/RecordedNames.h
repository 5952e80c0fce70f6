// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols of the functions that were traced, as their process knew them: see pbd_names.
#ifndef PATCHBAY_TOOL_RECORDEDNAMES_H
#define PATCHBAY_TOOL_RECORDEDNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace patchbay {

class RecordedNames {
public:
  using Name = std::pair<uint64_t, llvm::StringRef>; // ELF address, symbol

  /// Reads what follows pbd_names::module. Thousands of processes have the same names:
  /// these are kept once, for as long as the command runs.
  static llvm::Expected<const RecordedNames *> read(llvm::StringRef Bytes,
                                                    llvm::endianness Order);

  /// All of them, by address.
  llvm::ArrayRef<Name> all() const { return Names; }
  /// Those of one function.
  llvm::ArrayRef<Name> at(uint64_t Entry) const;

private:
  std::vector<Name> Names;
};

} // namespace patchbay

#endif
