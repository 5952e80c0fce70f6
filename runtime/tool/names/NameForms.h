// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short forms that users write for C++ functions, made from demangled
// names: see trace/format/name_forms.h, which the runtime shares. Also handles names
// of Rust functions.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// Uses the source names of the standard library's strings, which a demangler
/// writes out. For names of Rust see rustName().
std::string readableName(llvm::StringRef Demangled);

/// Without parameters, the text after them, and the result type, which template
/// functions have in front.
std::string withoutParameters(llvm::StringRef Demangled);

/// The same without template arguments, too.
std::string plainName(llvm::StringRef Demangled);

/// Matches a glob of fnmatch(3) against a demangled name. Ignores spaces
/// between types and punctuation.
bool isMatchedBy(const std::string &Name, const std::string &Glob);

/// Does a glob of fnmatch(3) match one of these forms?
bool isNamedBy(llvm::StringRef Demangled, const std::string &Glob);

/// The source name of a Rust function. rustc has two manglings: its own (v0, RFC 2603), and
/// an older one that looks like C++'s. C++ demanglers read the latter as C++.
/// "app::Line::words" for "<app::Line>::words" (v0) and for
/// "app::Line::words::h0123456789abcdef" (the older mangling, which ends with a
/// hash). "<app::Line as core::fmt::Debug>::fmt" in both. A suffix such as
/// " (.llvm.1527)" stays, and so do other names.
std::string rustName(llvm::StringRef Demangled);

} // namespace patchbay
