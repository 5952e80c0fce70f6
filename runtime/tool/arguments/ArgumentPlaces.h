// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds arguments at the beginning of a function. If the function's record
// agrees, the calling convention tells their places, whatever the compiler does
// later. If the compiler has changed them, debug information tells.
#ifndef PATCHBAY_TOOL_ARGUMENTPLACES_H
#define PATCHBAY_TOOL_ARGUMENTPLACES_H

#include "DwarfFunctions.h"

namespace patchbay {

/// The places of each eight bytes of a value, as sources of typed_spec.h: "r0".
struct ArgumentPlace {
  std::vector<std::string> Words;
  bool IsAddress = false; // the value is in memory, at this address
  std::string Why;        // why it has no place
  bool IsUnused = false;  // so callers may pass any value
};

struct FunctionPlaces {
  std::vector<DwarfParameter> Parameters;
  std::vector<ArgumentPlace> Places; // of these parameters
  llvm::DWARFDie ResultType;         // invalid: void
  ArgumentPlace Result;
};

FunctionPlaces placesOf(llvm::DWARFDie Function, const SiteRecord &Record,
                        uint16_t Machine);

} // namespace patchbay

#endif
