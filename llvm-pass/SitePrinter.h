// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the sites at the markers that the pass has inserted, a record for each
// site, and the data that an object file has once.
//
// The printer is an AsmPrinterHandler (README.md says why). A plugin reaches
// the AsmPrinter through a GCMetadataPrinter, as garbage collectors do. LLVM
// creates a GCMetadataPrinter for each GCStrategy in the module's GCModuleInfo.
#ifndef PATCHBAY_LLVM_PASS_SITEPRINTER_H
#define PATCHBAY_LLVM_PASS_SITEPRINTER_H

#include "Pass.h"
#include "patchbay/abi.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/GCMetadataPrinter.h"
#include "llvm/IR/GCStrategy.h"

namespace patchbay {

/// The data that each object file has once, as IR: the module descriptor, and a
/// constructor and a destructor that pass the descriptor to the runtime
/// (abi.h). The data is in a COMDAT group, which a linked module has once.
class ModuleData {
  llvm::Module *M = nullptr;
  llvm::Comdat *Group = nullptr;

  // The group's name is an alias of this object's own descriptor. Linkers
  // ignore groups in LTO output, so a module may keep several descriptors. Only
  // the descriptor that the alias resolves to is registered.
  llvm::GlobalAlias *Alias = nullptr;
  llvm::GlobalVariable *Descriptor = nullptr, *State = nullptr,
                       *Note = nullptr;

  // The program's declaration of the group's name, and the pass's declarations.
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
  /// For the printer, which emits the code of Stubs.
  llvm::GlobalVariable *Links = nullptr;
  llvm::GlobalValue *Stubs = nullptr;

  /// Adds the data to a module before code generation. The pass knows only
  /// afterwards whether the module has a site, and then calls use() or drop().
  void add(llvm::Module &M, const SlotLayout &Layout, llvm::StringRef StubsName,
           bool HasTrampolines);

  /// Whether a function is the constructor or the destructor.
  bool contains(const llvm::Function &F) const;

  /// Called at the first site. Registers the constructor and the destructor.
  void use();

  /// Called if there is no site: keeps LLVM from printing any of the data.
  void drop();
};

/// A site, which the pass marks and the printer emits.
struct Site {
  /// Symbol of the marker, an ANNOTATION_LABEL.
  llvm::MCSymbol *Label;
  bool AddLandingPad;

  /// The offset of the pad from the entry.
  int PadOffset;

  /// Whether a landing pad is at the entry and the site follows it.
  bool AfterLandingPad;

  /// Bytes of NOPs that follow the site.
  unsigned Padding;

  /// The record; the printer fills in the references.
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
