// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file of this folder per target, one function per file: what the pass
// knows about the target.
#ifndef PATCHBAY_LLVM_PASS_TARGETS_TARGETS_H
#define PATCHBAY_LLVM_PASS_TARGETS_TARGETS_H

#include "../SlotLayout.h"
#include "patchbay/abi.h"

namespace patchbay {

/// The pads, by the names of the ABI header's table.
#define PAD_OF(id, triple, llvm, linux, machine, pad) PadOf_##id = pad,
enum : uint32_t { PATCHBAY_ARCH_TABLE(PAD_OF) };
#undef PAD_OF

const SlotLayout &layoutX86_64();
const SlotLayout &layoutAArch64();
const SlotLayout &layoutPPC64LE();
const SlotLayout &layoutRISCV64();

} // namespace patchbay

#endif
