// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass says: a warning about a module it cannot work on, and a remark
// about each function.
#ifndef PATCHBAY_LLVM_PASS_DIAGNOSTICS_H
#define PATCHBAY_LLVM_PASS_DIAGNOSTICS_H

#include "llvm/ADT/Twine.h"

namespace llvm {
class MachineFunction;
class Module;
} // namespace llvm

namespace patchbay {

/// The pass's name: -Rpass=patchbay, llc -run-pass=patchbay.
inline constexpr char PassName[] = "patchbay";

/// Warns through LLVM's own channel, so that clang's -W(no-)backend-plugin and
/// -Werror=backend-plugin apply.
void warn(const llvm::Module &M, const llvm::Twine &Message);

void remarkInstrumented(const llvm::MachineFunction &MF, unsigned PrefixSize,
                        bool KernelMode);
void remarkSkipped(const llvm::MachineFunction &MF, llvm::StringRef Reason);

} // namespace patchbay

#endif
