// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds arguments at the beginning of a function. If the function's record
// agrees, the calling convention tells their places, whatever the compiler does
// later. If the compiler has changed them, debug information tells.
#ifndef PATCHBAY_TOOL_ARGUMENTPLACES_H
#define PATCHBAY_TOOL_ARGUMENTPLACES_H

#include "DwarfFunctions.h"

namespace patchbay {

/// Does the function use eight bytes of an argument? If not, callers may pass any value.
/// Unknown: they have several members, of which debug information may have lost track.
enum class WordUse { Used, Unknown, Unused };

/// The places of each eight bytes of a value, as sources of typed_spec.h: "r0".
struct ArgumentPlace {
  std::vector<std::string> Words;
  std::vector<WordUse> Uses; // of Words; empty: all are used
  bool IsAddress = false;    // the value is in memory, at this address
  std::string Why;           // why it has no place
};

struct FunctionPlaces {
  /// The function has arguments, but debug information is of -g1, without them.
  bool LacksParameters = false;
  std::vector<DwarfParameter> Parameters;
  std::vector<ArgumentPlace> Places; // of these parameters
  llvm::DWARFDie ResultType;         // invalid: void
  ArgumentPlace Result;
};

FunctionPlaces placesOf(llvm::DWARFDie Function, const SiteRecord &Record,
                        uint16_t Machine);

} // namespace patchbay

#endif
