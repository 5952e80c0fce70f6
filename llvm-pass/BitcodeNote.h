// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With LTO, the compiler that was given the plugin writes bitcode, and code is
// generated at link time, by another program, which may not have the plugin.
// Nothing would then tell an instrumented build from any other. So bitcode gets
// a note (abi.h, PATCHBAY_NOTE_BITCODE) that is a variable like others, which
// whoever generates code emits, and which the plugin removes before it does. An
// object or a program that has the note was to have slots and has none.
//
// Only what is loaded with -fpass-plugin= takes part in writing bitcode: clang
// calls nothing in a plugin of -fplugin= before it generates code.
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

/// Removes the notes of all files that were made one module. True if there
/// were any.
bool removeBitcodeNotes(llvm::Module &M);

} // namespace patchbay

#endif
