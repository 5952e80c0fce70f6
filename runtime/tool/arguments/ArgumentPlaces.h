// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the location of arguments at the entry of a function. If the function's record agrees
// with the declaration, the calling convention defines the locations. Otherwise the compiler has
// changed the arguments, and the locations come from debug information.
#pragma once

#include "DwarfFunctions.h"

namespace patchbay {

/// Does the function use these eight bytes of an argument? Unused: callers may pass any value.
/// Unknown: the bytes have several members, and debug information may lack some.
enum class WordUse { Used, Unknown, Unused };

/// The location of each eight bytes of a value, as a source of typed_spec.h: "r0".
struct ArgumentPlace {
  std::vector<std::string> Words;
  std::vector<WordUse> Uses; // parallel to Words; empty: all words are used
  bool IsAddress = false;    // the value is in memory, at this address
  std::string Why;           // why the location is unknown
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
