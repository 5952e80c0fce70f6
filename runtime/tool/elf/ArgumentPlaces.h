// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where arguments are when a function begins: by the rules of the calling convention,
// which hold there whatever the compiler does later, as far as the function's record
// agrees; and where the compiler has changed them, by what debug information says.
#ifndef PATCHBAY_TOOL_ARGUMENTPLACES_H
#define PATCHBAY_TOOL_ARGUMENTPLACES_H

#include "DwarfFunctions.h"

namespace patchbay {

/// Of each eight bytes of a value, where they are, as a source in typed_spec.h: "r0".
struct ArgumentPlace {
  std::vector<std::string> Words;
  bool IsAddress = false; // of the value, which is in memory
  std::string Why;        // it is nowhere
  bool IsUnused = false;  // so that callers may pass anything there
};

struct FunctionPlaces {
  std::vector<DwarfParameter> Parameters;
  std::vector<ArgumentPlace> Places; // of these
  llvm::DWARFDie ResultType;         // invalid: void
  ArgumentPlace Result;
};

FunctionPlaces placesOf(llvm::DWARFDie Function, const SiteRecord &Record,
                        uint16_t Machine);

} // namespace patchbay

#endif
