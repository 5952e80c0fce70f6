// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With LTO the compiler that has the plugin writes bitcode. Another program
// generates code at link time, and it may not have the plugin. Then an
// instrumented build would look like any other. So the plugin adds a note to
// bitcode (abi.h, PATCHBAY_NOTE_BITCODE). The note is an ordinary variable:
// code generation emits it, unless the plugin is loaded and removes it first.
// An object or a program with the note should have slots and has none.
//
// Only -fpass-plugin= takes part in writing bitcode: clang does not call a
// plugin of -fplugin= before it generates code.
#ifndef PATCHBAY_LLVM_PASS_BITCODENOTE_H
#define PATCHBAY_LLVM_PASS_BITCODENOTE_H

#include "llvm/IR/PassManager.h"

namespace patchbay {

/// Adds the note to a module that defines functions.
class AddBitcodeNotePass : public llvm::PassInfoMixin<AddBitcodeNotePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

/// Removes the notes of all files that were merged into the module. Returns
/// true if there were any.
bool removeBitcodeNotes(llvm::Module &M);

} // namespace patchbay

#endif
