// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an object file has once, as IR: the module descriptor, what it leads to,
// and a constructor and a destructor that pass it to the runtime (abi.h). All of
// it is in one COMDAT group, so a linked module has it once.
#ifndef PATCHBAY_LLVM_PASS_MODULEDATA_H
#define PATCHBAY_LLVM_PASS_MODULEDATA_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace patchbay {

struct SlotLayout;

class ModuleData {
  llvm::Module *M = nullptr;
  llvm::Comdat *Group = nullptr;

  // The group is named after an alias of this object's own descriptor. Linkers
  // do not look at the groups of what LTO compiled, so a module may keep several
  // copies. The one that the alias means registers.
  llvm::GlobalAlias *Alias = nullptr;
  llvm::GlobalVariable *Descriptor = nullptr, *State = nullptr,
                       *Note = nullptr;

  // What the program declares of that name; and what only this declares.
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
  /// What the printer refers to. The stubs are a declaration: it prints them.
  llvm::GlobalVariable *Links = nullptr;
  llvm::GlobalValue *Stubs = nullptr;

  /// Adds it to a module, before code is generated, since whether a function has
  /// a site is known when the code of all others is there.
  void add(llvm::Module &M, const SlotLayout &Layout, llvm::StringRef StubsName,
           bool HasTrampolines);

  /// Whether a function is the constructor or the destructor.
  bool contains(const llvm::Function &F) const;

  /// Makes the functions entries of .init_array and .fini_array: there is a site.
  void use();

  /// Has LLVM print none of it: there is no site.
  void drop();
};

} // namespace patchbay

#endif
