// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM can generate code with its new pass manager, if it is told to. That has no
// way in for a plugin's machine passes, so nothing would be instrumented, and
// nobody would say so. We refuse it instead.
#ifndef PATCHBAY_LLVM_PASS_NEWPASSMANAGER_H
#define PATCHBAY_LLVM_PASS_NEWPASSMANAGER_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace patchbay {

/// Whether code for \p M is about to be generated in that way; if so, it is an
/// error, which has been said. Called before either pass manager is set up.
bool refuseNewPassManager(llvm::Module &M, llvm::TargetMachine &TM);

} // namespace patchbay

#endif
