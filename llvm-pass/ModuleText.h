// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module descriptor and what belongs to it, as assembly text.
// An object file has them once, so parsing them costs little, and text can say
// what machine code with relocations takes a target's private parts to build.
#ifndef PATCHBAY_LLVM_PASS_MODULETEXT_H
#define PATCHBAY_LLVM_PASS_MODULETEXT_H

#include <string>

namespace patchbay {

struct SlotLayout;

std::string moduleText(const SlotLayout &Layout);

} // namespace patchbay

#endif
