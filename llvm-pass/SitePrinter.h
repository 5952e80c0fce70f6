// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the pass's decisions: the site at its marker, a record of each site,
// and the data that an object file has once.
//
// A site could be inline assembly, which can switch sections itself. But then
// LLVM sets up an assembly parser for every function, which costs more than
// compiling a small one. LLVM's AsmPrinter has a cheaper hook:
// AsmPrinterHandler, which it calls around each function and each instruction.
// A plugin gets access to the AsmPrinter as garbage collectors do, by a
// GCMetadataPrinter. LLVM creates one for each GCStrategy that the module's
// GCModuleInfo knows. No function has to be marked as garbage-collected for
// that.
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

/// A site. The pass chooses its place and passes it to the printer.
struct Site {
  /// Symbol of the marker, an ANNOTATION_LABEL.
  llvm::MCSymbol *Label;
  bool AddLandingPad;

  /// The offset of the pad from the entry.
  int PadOffset;

  /// The site follows a landing pad and is not at the entry.
  bool BehindPad;

  /// Bytes of NOPs that follow the site.
  unsigned Padding;

  /// But for its references, which are 0.
  patchbay_record Record;
};

/// The output of one module's code generation.
struct SiteTable {
  const SlotLayout *Layout = nullptr;
  bool KernelMode = false;
  llvm::SmallVector<llvm::MCInst, 2> SiteCode, LandingPadCode;
  ArgumentRegisters Registers;
  llvm::DenseMap<const llvm::Function *, Site> Sites;

  /// The data that an object file has once. With ZeroSites sites are left 0,
  /// and the module has no trampolines.
  ModuleData Data;
  bool ZeroSites = false;

  /// In kernel mode LLVM's table implies that all functions with NOPs at the
  /// entry have a slot. And the functions that have one.
  bool EntriesNeedSlots = false;
  llvm::SmallPtrSet<const llvm::Function *, 8> KernelSlots;

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
