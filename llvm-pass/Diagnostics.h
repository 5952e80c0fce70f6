// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass's output: errors, warnings, and a remark about each function.
#ifndef PATCHBAY_LLVM_PASS_DIAGNOSTICS_H
#define PATCHBAY_LLVM_PASS_DIAGNOSTICS_H

#include "llvm/ADT/Twine.h"

namespace llvm {
class Function;
class MachineFunction;
class Module;
} // namespace llvm

namespace patchbay {

/// The pass's name: -Rpass=patchbay, llc -run-pass=patchbay.
inline constexpr char PassName[] = "patchbay";

/// Warns through LLVM's own channel, so that clang's -W(no-)backend-plugin and
/// -Werror=backend-plugin apply.
void warn(const llvm::Module &M, const llvm::Twine &Message);

/// Warns about a function, with its line if there is debug information.
void warn(const llvm::Function &F, const llvm::Twine &Message);

/// Makes the compilation fail, once code generation is done.
void error(const llvm::Module &M, const llvm::Twine &Message);

/// \p Reason is why a function was chosen. It is null if all are.
void remarkInstrumented(const llvm::MachineFunction &MF, unsigned PrefixSize,
                        bool KernelMode, const char *Reason);
void remarkSkipped(const llvm::MachineFunction &MF, llvm::StringRef Reason);

} // namespace patchbay

#endif
