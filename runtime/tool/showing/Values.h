// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of calls, as text. Where types were not recorded integers are
// shown as such if they are small, and else, as pointers, in hexadecimal.
#ifndef PATCHBAY_TOOL_VALUES_H
#define PATCHBAY_TOOL_VALUES_H

#include "reading/Trace.h"

namespace patchbay {

/// "1, 0x7f0012345678", or `name="x", len=42`.
std::string argsText(const DataValues &V);
/// "7", "0.5"; empty if there is none.
std::string resultText(const DataValues &V);
/// "args" and "result" of an object: numbers as such, where types are known,
/// too.
void printValues(llvm::json::OStream &J, const DataValues &V);
/// "name(1, 2)": instead of the parameters that a demangled name has.
std::string calledText(llvm::StringRef Name, const DataValues &V);

} // namespace patchbay

#endif
