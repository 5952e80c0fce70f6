// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of calls, as text. Without recorded types, small
// integers are decimal, and others hexadecimal, like pointers.
#pragma once

#include "reading/Trace.h"

namespace patchbay {

/// "1, 0x7f0012345678", or `name="x", len=42`.
std::string argsText(const DataValues &V);
/// "7", "0.5"; empty if there is none.
std::string resultText(const DataValues &V);
/// "args" and "result" of an object. Numbers are JSON numbers, even for known types.
void printValues(llvm::json::OStream &J, const DataValues &V);
/// A call of <patchbay/mark.h>.
struct Mark {
  std::string Name;
  std::optional<int64_t> Value; // of patchbay_value()
  /// "frame", or "queue=17".
  std::string text() const;
};
/// Nothing if it is another call, or its name was not recorded.
std::optional<Mark> markOf(llvm::StringRef Function, const DataValues *V);
/// "name(1, 2)": replaces the parameters of a demangled name.
std::string calledText(llvm::StringRef Name, const DataValues &V);

} // namespace patchbay
