// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/DataExtractor.h"

namespace patchbay {

/// Reads bytes of a 64-bit little-endian file.
inline llvm::DataExtractor littleEndian(llvm::StringRef Bytes) {
#if LLVM_VERSION_MAJOR >= 23
  return llvm::DataExtractor(Bytes, /*IsLittleEndian=*/true);
#else
  return llvm::DataExtractor(Bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8);
#endif
}

} // namespace patchbay
