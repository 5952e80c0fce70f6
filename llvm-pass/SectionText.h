// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections that describe sites, as assembly text: of each function the
// record, of each object file the note and the module descriptor. The text is
// the same for all targets but for two instructions' worth in SlotLayout. It is
// written for LLVM's inline assembly, where `${:private}` is the prefix of
// local labels.
#ifndef PATCHBAY_LLVM_PASS_SECTIONTEXT_H
#define PATCHBAY_LLVM_PASS_SECTIONTEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace patchbay {

struct ArgumentSummary;
struct SlotLayout;

/// The record of the site at label \p Site, \p EntryDistance behind the entry.
std::string recordText(llvm::StringRef Site, unsigned EntryDistance,
                       uint32_t Signature, const ArgumentSummary &Args);

std::string noteText();

/// The module descriptor, its constructor and its destructor.
std::string moduleText(const SlotLayout &Layout);

} // namespace patchbay

#endif
