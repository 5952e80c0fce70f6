// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short forms of demangled C++ names that users write: see
// trace/format/name_forms.h, which the runtime shares. Also handles names of Rust
// functions.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// Replaces the standard library's string types, which a demangler writes out, by their
/// source names. For names of Rust see rustName().
std::string readableName(llvm::StringRef Demangled);

/// Removes parameters, the text after them, and the result type in front of template
/// functions.
std::string withoutParameters(llvm::StringRef Demangled);

/// Also removes template arguments.
std::string plainName(llvm::StringRef Demangled);

/// Matches a glob of fnmatch(3) against a demangled name. Ignores spaces between types
/// and punctuation.
bool isMatchedBy(const std::string &Name, const std::string &Glob);

/// Does a glob of fnmatch(3) match one of these forms?
bool isNamedBy(llvm::StringRef Demangled, const std::string &Glob);

/// The source name of a Rust function. rustc has two manglings: v0 (RFC 2603), and a legacy
/// one that resembles C++'s and ends with a hash. C++ demanglers read the legacy one as
/// C++. The result is "app::Line::words" for both "<app::Line>::words" (v0) and
/// "app::Line::words::h0123456789abcdef" (legacy), and "<app::Line as
/// core::fmt::Debug>::fmt" in both manglings. Suffixes such as " (.llvm.1527)" and all
/// other names are unchanged.
std::string rustName(llvm::StringRef Demangled);

} // namespace patchbay
