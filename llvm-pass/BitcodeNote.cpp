// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks bitcode that was compiled with the plugin. With LTO the linker
// generates code: without the plugin, functions would silently lack slots. The
// mark is a note, a variable that code generation emits unless the plugin
// removes it. The linker warns about emitted notes.
#include "Options.h"
#include "Pass.h"
#include "patchbay/abi.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace patchbay;

static bool isBitcodeNote(const GlobalVariable &G) {
  return G.getSection() == PATCHBAY_BITCODE_NOTE_SECTION;
}

bool patchbay::removeBitcodeNotes(Module &M) {
  if (none_of(M.globals(), isBitcodeNote))
    return false;
  removeFromUsedLists(M, [](Constant *C) {
    auto *G = dyn_cast<GlobalVariable>(C->stripPointerCasts());
    return G && isBitcodeNote(*G);
  });
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (isBitcodeNote(G))
      G.eraseFromParent();
  return true;
}

/// Pads a field of a note with zeros to a multiple of four bytes.
static Constant *paddedText(LLVMContext &Context, StringRef Text) {
  std::string Padded = Text.str();
  Padded.resize(alignTo(Text.size() + 1, 4), '\0');
  return ConstantDataArray::getString(Context, Padded, /*AddNull=*/false);
}

PreservedAnalyses AddBitcodeNotePass::run(Module &M, ModuleAnalysisManager &) {
  // A module that was read from bitcode already has a note.
  if (options().Disable || !findSlotLayout(M.getTargetTriple()) ||
      all_of(M, [](const Function &F) { return F.isDeclarationForLinker(); }) ||
      any_of(M.globals(), isBitcodeNote))
    return PreservedAnalyses::all();
  LLVMContext &Context = M.getContext();
  auto Word = [&](uint32_t N) {
    return ConstantInt::get(Type::getInt32Ty(Context), N);
  };
  StringRef Source = M.getSourceFileName();
  Constant *Note = ConstantStruct::getAnon(
      {Word(sizeof(PATCHBAY_NOTE_NAME)),
       Word(sizeof(patchbay_bitcode_note) + Source.size() + 1),
       Word(PATCHBAY_NOTE_BITCODE), paddedText(Context, PATCHBAY_NOTE_NAME),
       Word(options().Require ? PATCHBAY_BITCODE_REQUIRED : 0),
       paddedText(Context, Source)});
  auto *G = new GlobalVariable(M, Note->getType(), /*isConstant=*/true,
                               GlobalValue::PrivateLinkage, Note,
                               "patchbay_bitcode_note");
  G->setSection(PATCHBAY_BITCODE_NOTE_SECTION);
  G->setAlignment(Align(4));
  // Keep sanitizers from adding red zones to the note, and from registering it.
  GlobalValue::SanitizerMetadata Alone;
  Alone.NoAddress = Alone.NoHWAddress = true;
  G->setSanitizerMetadata(Alone);
  appendToCompilerUsed(M, {G});
  return PreservedAnalyses::none();
}
