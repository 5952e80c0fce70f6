// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings of `verify`, one line each.
#ifndef PATCHBAY_TOOL_FINDINGS_H
#define PATCHBAY_TOOL_FINDINGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <string>

namespace patchbay {

class Findings {
public:
  explicit Findings(llvm::StringRef Path) : Path(Path) {}

  /// Prints "PATH: NAME+0xOFFSET: WHAT: expected EXPECTED, found FOUND".
  void add(llvm::StringRef Name, int64_t Offset, const llvm::Twine &What,
           const llvm::Twine &Expected, const llvm::Twine &Found);
  unsigned count() const { return Count; }

private:
  std::string Path;
  unsigned Count = 0;
};

/// "0x1f", and "1f 2e" in the order of memory.
std::string hex(uint64_t Number);
std::string hex(llvm::ArrayRef<uint8_t> Bytes);

} // namespace patchbay

#endif
