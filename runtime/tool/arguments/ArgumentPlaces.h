// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds arguments at the beginning of a function. If the function's record agrees with
// the declaration, the calling convention gives their places. If not, the compiler has
// changed the arguments, and debug information gives their places.
#pragma once

#include "DwarfFunctions.h"

namespace patchbay {

/// Does the function use these eight bytes of an argument? Unused: callers may pass any
/// value. Unknown: the bytes have several members, and debug information may lack one of
/// them.
enum class WordUse { Used, Unknown, Unused };

/// The place of each eight bytes of a value, as a source of typed_spec.h: "r0".
struct ArgumentPlace {
  std::vector<std::string> Words;
  std::vector<WordUse> Uses; // parallel to Words; empty: all are used
  bool IsAddress = false;    // the value is in memory, at this address
  std::string Why;           // why it has no place
};

struct FunctionPlaces {
  /// Debug information was made with -g1, which omits parameters.
  bool LacksParameters = false;
  std::vector<DwarfParameter> Parameters;
  std::vector<ArgumentPlace> Places; // parallel to Parameters
  llvm::DWARFDie ResultType;         // invalid if the function returns void
  ArgumentPlace Result;
};

FunctionPlaces placesOf(llvm::DWARFDie Function, const SiteRecord &Record,
                        uint16_t Machine);

} // namespace patchbay
