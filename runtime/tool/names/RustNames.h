// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source name of a Rust function, made from the demangled symbol. rustc has
// two manglings: its own (v0, RFC 2603), and an older one that looks like
// C++'s. C++ demanglers read the latter as C++.
#ifndef PATCHBAY_TOOL_RUSTNAMES_H
#define PATCHBAY_TOOL_RUSTNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// "app::Line::words" for "<app::Line>::words" (v0) and for
/// "app::Line::words::h0123456789abcdef" (the older mangling, which ends with a
/// hash). "<app::Line as core::fmt::Debug>::fmt" in both. A suffix such as
/// " (.llvm.1527)" stays, and so do other names.
std::string rustName(llvm::StringRef Demangled);

} // namespace patchbay

#endif
