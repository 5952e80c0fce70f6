// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds arguments at the beginning of a function. If the function's record agrees with
// the declaration, the calling convention gives their places. If the compiler has changed
// the arguments, debug information gives them.
#pragma once

#include "DwarfFunctions.h"

namespace patchbay {

/// Does the function use these eight bytes of an argument? If not, callers may pass any
/// value. Unknown: the bytes have several members, and debug information may lack one of
/// them.
enum class WordUse { Used, Unknown, Unused };

/// The places of each eight bytes of a value, as sources of typed_spec.h: "r0".
struct ArgumentPlace {
  std::vector<std::string> Words;
  std::vector<WordUse> Uses; // of Words; empty: all are used
  bool IsAddress = false;    // the value is in memory, at this address
  std::string Why;           // why it has no place
};

struct FunctionPlaces {
  /// Debug information was made with -g1: there are arguments, but it lacks them.
  bool LacksParameters = false;
  std::vector<DwarfParameter> Parameters;
  std::vector<ArgumentPlace> Places; // of these parameters
  llvm::DWARFDie ResultType;         // invalid: void
  ArgumentPlace Result;
};

FunctionPlaces placesOf(llvm::DWARFDie Function, const SiteRecord &Record,
                        uint16_t Machine);

} // namespace patchbay
