// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats arguments and results of calls. Without recorded types, small numbers are
// decimal, and large numbers are hexadecimal, like pointers.
#pragma once

#include "reading/Trace.h"

namespace patchbay {

/// "1, 0x7f0012345678", or `name="x", len=42`.
std::string argsText(const DataValues &V);
/// "7", or "0.5"; empty without a result.
std::string resultText(const DataValues &V);
/// Prints "args" and "result" as attributes of an object. Numbers are JSON numbers.
void printValues(llvm::json::OStream &J, const DataValues &V);
/// A call of a function in <patchbay/mark.h>.
struct Mark {
  std::string Name;
  std::optional<int64_t> Value; // the argument of patchbay_value()
  /// "frame", or "queue=17".
  std::string text() const;
};
/// std::nullopt if the call is no mark, or if its name was not recorded.
std::optional<Mark> markOf(llvm::StringRef Function, const DataValues *V);
/// "name(1, 2)": a demangled name with values instead of parameters.
std::string calledText(llvm::StringRef Name, const DataValues &V);

} // namespace patchbay
