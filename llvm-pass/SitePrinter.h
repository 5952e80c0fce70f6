// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what the pass decided: the site at its marker, a record of each site,
// and the data that an object file has once.
//
// The printer is an AsmPrinterHandler (README.md says why). A plugin reaches the
// AsmPrinter by a GCMetadataPrinter, as garbage collectors do. LLVM creates one
// for each GCStrategy that the module's GCModuleInfo knows.
#ifndef PATCHBAY_LLVM_PASS_SITEPRINTER_H
#define PATCHBAY_LLVM_PASS_SITEPRINTER_H

#include "Pass.h"
#include "patchbay/abi.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/GCMetadataPrinter.h"
#include "llvm/IR/GCStrategy.h"

namespace patchbay {

/// The data that each object file has once, as IR: the module descriptor, and a
/// constructor and a destructor that pass it to the runtime (abi.h). All of it
/// is in one COMDAT group, so that a linked module has it once.
class ModuleData {
  llvm::Module *M = nullptr;
  llvm::Comdat *Group = nullptr;

  // The group's name is an alias of this object's own descriptor. Linkers ignore
  // groups in LTO output, so a module may keep several descriptors. Only the one
  // that the alias resolves to is registered.
  llvm::GlobalAlias *Alias = nullptr;
  llvm::GlobalVariable *Descriptor = nullptr, *State = nullptr,
                       *Note = nullptr;

  // The program's declaration of the group's name, and our own declarations.
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
  /// Used by the printer. Stubs is only a declaration; the printer emits the code.
  llvm::GlobalVariable *Links = nullptr;
  llvm::GlobalValue *Stubs = nullptr;

  /// Adds the data to a module before code generation. The pass knows only
  /// afterwards whether the module has a site, and then calls use() or drop().
  void add(llvm::Module &M, const SlotLayout &Layout, llvm::StringRef StubsName,
           bool HasTrampolines);

  /// Whether a function is the constructor or the destructor.
  bool contains(const llvm::Function &F) const;

  /// Called at the first site: adds the functions to .init_array and .fini_array.
  void use();

  /// Called if there is no site: keeps LLVM from printing any of the data.
  void drop();
};

/// A site. The pass chooses its place and passes it to the printer.
struct Site {
  /// Symbol of the marker, an ANNOTATION_LABEL.
  llvm::MCSymbol *Label;
  bool AddLandingPad;

  /// The offset of the pad from the entry.
  int PadOffset;

  /// Whether the site follows a landing pad, so it is not at the entry.
  bool AfterLandingPad;

  /// Bytes of NOPs that follow the site.
  unsigned Padding;

  /// The record, with references of 0.
  patchbay_record Record;
};

/// The output of one module's code generation.
struct SiteTable {
  const SlotLayout *Layout = nullptr;
  bool KernelMode = false;
  llvm::SmallVector<llvm::MCInst, 2> SiteCode, LandingPadCode;
  ArgumentRegisters Registers;
  llvm::DenseMap<const llvm::Function *, Site> Sites;

  /// The data that an object file has once. With ZeroSites the immediates of
  /// sites are 0, and the module has no trampolines.
  ModuleData Data;
  bool ZeroSites = false;

  /// PATCHBAY_MODE_* of the instrumented functions, 0 if there are none.
  uint32_t Mode = 0;
};

/// Carries the table from the pass to the printer.
class SiteStrategy : public llvm::GCStrategy {
public:
  SiteTable Table;
  SiteStrategy() { UsesMetadata = true; }
};

/// Installs the printer.
class SitePrinterHook : public llvm::GCMetadataPrinter {
  bool Installed = false;

public:
  void beginAssembly(llvm::Module &M, llvm::GCModuleInfo &Info,
                     llvm::AsmPrinter &AP) override;
};

} // namespace patchbay

#endif
