// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a C++ function as people write it, from what a demangler makes of its
// symbol: see trace/name_forms.h, which the runtime has, too; and that of a Rust one.
#ifndef PATCHBAY_TOOL_NAMEFORMS_H
#define PATCHBAY_TOOL_NAMEFORMS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// With the names that the source has of the standard library's strings: a demangler
/// writes out what they stand for. Names of Rust are as RustNames.h says.
std::string readableName(llvm::StringRef Demangled);

/// Without parameters, what is behind them, and the type of the result, which stands
/// before functions that are made of templates.
std::string withoutParameters(llvm::StringRef Demangled);

/// The same without template arguments, too.
std::string plainName(llvm::StringRef Demangled);

/// A glob of fnmatch(3) for a demangled name, wherever the two have spaces between
/// types and punctuation.
bool isMatchedBy(const std::string &Name, const std::string &Glob);

/// Whether the function is meant by a glob of fnmatch(3), which may name it in any of
/// these forms.
bool isNamedBy(llvm::StringRef Demangled, const std::string &Glob);

} // namespace patchbay

#endif
