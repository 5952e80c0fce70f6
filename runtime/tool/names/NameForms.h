// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short forms of demangled C++ names that users write. The runtime uses the same code
// (trace/format/name_forms.h). Also handles names of Rust functions.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// Replaces the full names of the standard library's string types by their short names, such
/// as std::string. For names of Rust see rustName().
std::string readableName(llvm::StringRef Demangled);

/// Removes parameters, the text after the parameters, and the result type of template
/// functions.
std::string withoutParameters(llvm::StringRef Demangled);

/// Like withoutParameters(), but also removes template arguments.
std::string plainName(llvm::StringRef Demangled);

/// Matches a glob of fnmatch(3) against a demangled name. Ignores spaces between types
/// and punctuation.
bool isMatchedBy(const std::string &Name, const std::string &Glob);

/// Does a glob of fnmatch(3) match the name or one of its short forms?
bool isNamedBy(llvm::StringRef Demangled, const std::string &Glob);

/// The source name of a Rust function. rustc has two manglings: v0 (RFC 2603), and a legacy
/// mangling that ends with a hash. Demanglers read the legacy mangling as C++. Returns
/// "app::Line::words" for "<app::Line>::words" (v0) and for
/// "app::Line::words::h0123456789abcdef" (legacy), and "<app::Line as
/// core::fmt::Debug>::fmt" for both manglings. Keeps suffixes such as " (.llvm.1527)".
/// Returns names that are not from Rust unchanged.
std::string rustName(llvm::StringRef Demangled);

} // namespace patchbay
