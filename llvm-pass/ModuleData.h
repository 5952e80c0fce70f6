// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part that each object file has once, as IR: the module descriptor, its
// data, and a constructor and a destructor that pass it to the runtime (abi.h).
// All of it is in one COMDAT group, so a linked module has it once.
#ifndef PATCHBAY_LLVM_PASS_MODULEDATA_H
#define PATCHBAY_LLVM_PASS_MODULEDATA_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace patchbay {

struct SlotLayout;

class ModuleData {
  llvm::Module *M = nullptr;
  llvm::Comdat *Group = nullptr;

  // The group's name is an alias of this object's own descriptor. Linkers do
  // not look at groups in LTO output, so a module may keep several copies. The
  // copy that the alias names registers.
  llvm::GlobalAlias *Alias = nullptr;
  llvm::GlobalVariable *Descriptor = nullptr, *State = nullptr,
                       *Note = nullptr;

  // The program's declaration of that name, and our own declarations.
  llvm::GlobalVariable *Declared = nullptr;
  llvm::SmallVector<llvm::GlobalObject *, 8> Declarations;
  llvm::Function *Constructor = nullptr, *Destructor = nullptr;

  llvm::GlobalValue *declare(llvm::StringRef Name, bool IsHidden = true);
  llvm::GlobalVariable *addVariable(llvm::StringRef Section,
                                    llvm::Constant *Initializer,
                                    unsigned Alignment, bool IsConstant);
  void addLinks(bool HasTrampolines);
  void addDescriptor(bool HasTrampolines);
  void addNote();
  llvm::Function *addCall(const SlotLayout &Layout, bool AtStart);

public:
  /// Used by the printer. The stubs are a declaration: the printer emits them.
  llvm::GlobalVariable *Links = nullptr;
  llvm::GlobalValue *Stubs = nullptr;

  /// Adds it to a module before code generation, because the pass only knows
  /// that a function has a site after the code of all others is generated.
  void add(llvm::Module &M, const SlotLayout &Layout, llvm::StringRef StubsName,
           bool HasTrampolines);

  /// Whether a function is the constructor or the destructor.
  bool contains(const llvm::Function &F) const;

  /// There is a site: adds the functions to .init_array and .fini_array.
  void use();

  /// There is no site: keeps LLVM from printing any of it.
  void drop();
};

} // namespace patchbay

#endif
