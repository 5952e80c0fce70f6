// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that should have slots, according to its bitcode, but a linker without
// the plugin generated it. Our linker warns of it. Other linkers cannot, and
// their output runs.
#ifndef PATCHBAY_TOOL_UNSLOTTED_H
#define PATCHBAY_TOOL_UNSLOTTED_H

#include "ElfImage.h"

namespace patchbay {

/// A message about such code in an image; empty if there is none.
llvm::Expected<std::string> unslottedText(const ElfImage &Image);

/// Why an image has no records although the plugin was used: such code, or
/// kernel mode. Empty if the plugin was not used.
llvm::Expected<std::string> whyNoRecords(const ElfImage &Image);

} // namespace patchbay

#endif
