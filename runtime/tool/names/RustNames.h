// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a Rust function as its source has it, from what a demangler makes of its
// symbol. rustc has two manglings: its own (v0, RFC 2603), and an older one that looks
// like C++'s, which demanglers of C++ read without knowing more.
#ifndef PATCHBAY_TOOL_RUSTNAMES_H
#define PATCHBAY_TOOL_RUSTNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// "app::Line::words" of "<app::Line>::words" (v0) and of
/// "app::Line::words::h0123456789abcdef" (the older one, whose last part is a hash);
/// "<app::Line as core::fmt::Debug>::fmt" in either. Other names stay as they are.
std::string rustName(llvm::StringRef Demangled);

} // namespace patchbay

#endif
