// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what the pass has decided: the site at its marker, a record of each
// site, and what an object file has once.
//
// A site could be inline assembly, which carries its own sections, but then an
// assembly parser is set up for every function, which costs more than to
// compile a small one. LLVM's AsmPrinter has a cheaper place for code of
// others: AsmPrinterHandler, which it calls around each function and each
// instruction. A plugin gets hold of the AsmPrinter as garbage collectors do,
// by a GCMetadataPrinter: that is created for each GCStrategy that the module's
// GCModuleInfo knows. No function is marked as garbage-collected for that.
#ifndef PATCHBAY_LLVM_PASS_SITEPRINTER_H
#define PATCHBAY_LLVM_PASS_SITEPRINTER_H

#include "Arguments.h"
#include "ModuleData.h"
#include "patchbay/abi.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/GCMetadataPrinter.h"
#include "llvm/IR/GCStrategy.h"
#include "llvm/MC/MCInst.h"

namespace llvm {
class Function;
class MCSymbol;
} // namespace llvm

namespace patchbay {

struct SlotLayout;

/// A site, from the pass that chose its place to the printer.
struct Site {
  /// Symbol of the marker, an ANNOTATION_LABEL.
  llvm::MCSymbol *Label;
  bool AddLandingPad;

  /// Where the pad is, relative to the entry.
  int PadOffset;

  /// The site is not at the entry, but behind a landing pad.
  bool BehindPad;

  /// Bytes of NOPs that follow the site.
  unsigned Padding;

  /// But for its references, which are 0.
  patchbay_record Record;
};

/// What one module's code generation has to print.
struct SiteTable {
  const SlotLayout *Layout = nullptr;
  bool KernelMode = false;
  llvm::SmallVector<llvm::MCInst, 2> SiteCode, LandingPadCode;
  ArgumentRegisters Registers;
  llvm::DenseMap<const llvm::Function *, Site> Sites;

  /// What an object file has once, and whether sites are left 0: the module has
  /// no trampolines then.
  ModuleData Data;
  bool ZeroSites = false;

  /// In kernel mode LLVM's table says that all functions with NOPs at the entry
  /// have a slot; and those that do.
  bool EntriesNeedSlots = false;
  llvm::SmallPtrSet<const llvm::Function *, 8> KernelSlots;

  /// PATCHBAY_MODE_* of the functions that were instrumented, 0 if none was.
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
