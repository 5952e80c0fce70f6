// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the slot before a function, and the marker of the site into the
// function.
#ifndef PATCHBAY_LLVM_PASS_SLOTEMITTER_H
#define PATCHBAY_LLVM_PASS_SLOTEMITTER_H

namespace llvm {
class MachineFunction;
class MachineModuleInfo;
} // namespace llvm

namespace patchbay {

struct SiteTable;
struct SlotLayout;

/// Gives \p MF a slot and returns the size of its prefix.
unsigned emitSlot(llvm::MachineFunction &MF, const SlotLayout &Layout);

/// Gives \p MF a slot, marks its site and adds the site to \p Table for the
/// printer. Returns the size of the prefix.
unsigned emitSlotAndSite(llvm::MachineFunction &MF,
                         llvm::MachineModuleInfo &MMI, SiteTable &Table);

} // namespace patchbay

#endif
