// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SitePrinter.h"
#include "ModuleText.h"
#include "Options.h"
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbolELF.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

/// AT&T's on x86; other targets have no other.
static constexpr unsigned DefaultDialect = 0;

namespace {

class SitePrinter : public AsmPrinterHandler {
  AsmPrinter &AP;
  SiteTable &Table;

  // Of the function that is being printed.
  const Site *Current = nullptr;
  MCSymbol *Entry = nullptr;
  bool AtMarker = false;

  /// A function's, because with LTO the module's lacks the ABI's features.
  const MCSubtargetInfo *Subtarget = nullptr;

  /// The section of the records of each section of functions.
  DenseMap<const MCSection *, MCSection *> RecordSections;

  patchbay_record record() const;
  void emitCode(ArrayRef<MCInst> Code);
  void emitBranches();
  void emitSite();
  MCSection *recordSection();
  void emitRecord();
  void emitNote();
  void emitText(StringRef Text);

public:
  SitePrinter(AsmPrinter &AP, SiteTable &Table) : AP(AP), Table(Table) {}
  void beginFunction(const MachineFunction *MF) override;
  void beginInstruction(const MachineInstr *MI) override;
  void endInstruction() override;
  void endFunction(const MachineFunction *MF) override;
  void endModule() override;
};

} // namespace

void SitePrinter::beginFunction(const MachineFunction *MF) {
  auto It = Table.Sites.find(&MF->getFunction());
  Current = It == Table.Sites.end() ? nullptr : &It->second;
  if (!Current)
    return;
  // The first entry of a section is what names its record section, and must
  // have a name for that even where temporary symbols have none.
  Entry = RecordSections.contains(MF->getSection())
              ? AP.OutContext.createTempSymbol("patchbay_entry")
              : AP.OutContext.createNamedTempSymbol("patchbay_entry");
  AP.OutStreamer->emitLabel(Entry);
  Subtarget = &AP.getSubtargetInfo();
}

void SitePrinter::beginInstruction(const MachineInstr *MI) {
  AtMarker = Current && MI->isAnnotationLabel() &&
             MI->getOperand(0).getMCSymbol() == Current->Label;
  if (AtMarker && Current->AddLandingPad)
    emitCode(Table.LandingPadCode);
}

void SitePrinter::endInstruction() {
  if (AtMarker)
    emitSite();
  AtMarker = false;
}

void SitePrinter::emitCode(ArrayRef<MCInst> Code) {
  for (const MCInst &Inst : Code)
    AP.OutStreamer->emitInstruction(Inst, *Subtarget);
}

/// The record, but for its references.
patchbay_record SitePrinter::record() const {
  const ArgumentSummary &Args = Current->Args;
  return {0,           0,           Current->Signature,
          Args.GPArgs, Args.FPArgs, Args.StackArgWords,
          Args.Flags};
}

/// The stub is as far from behind the displacement as a call would have it; or
/// nothing is said of it, and who arms the site fills it in.
void SitePrinter::emitBranches() {
  const SlotLayout &Layout = *Table.Layout;
  MCStreamer &Out = *AP.OutStreamer;
  MCContext &Context = AP.OutContext;
  constexpr unsigned DisplacementSize = 4;
  const patchbay_record R = record();
  auto Plus = [&](MCSymbol *Symbol, int64_t Bytes) {
    return MCBinaryExpr::createAdd(MCSymbolRefExpr::create(Symbol, Context),
                                   MCConstantExpr::create(Bytes, Context),
                                   Context);
  };
  const MCExpr *Displacement = MCBinaryExpr::createSub(
      Plus(Context.getOrCreateSymbol(Layout.StubsSymbol),
           Layout.StubSize * Layout.StubOf(&R, Current->BehindPad)),
      Plus(Current->Label, 1 + DisplacementSize), Context);
  // Assemblers give lines to instructions only, but do not read a difference as
  // an immediate in every dialect.
#if LLVM_VERSION_MAJOR >= 23
  const unsigned Dialect = AP.MAI.getAssemblerDialect();
#else
  const unsigned Dialect = AP.MAI->getAssemblerDialect();
#endif
  if (options().ZeroSites) {
    emitCode(Table.SiteCode);
  } else if (Dialect == DefaultDialect) {
    MCInst Branch = Table.SiteCode.front();
    Branch.getOperand(0) = MCOperand::createExpr(Displacement);
    emitCode(Branch);
  } else {
    Out.emitInt8(*Layout.StubOpcode);
    Out.emitValue(Displacement, DisplacementSize);
  }
  Out.emitInt8(*Layout.PadBranch);
  Out.emitInt8(Current->ToPad);
}

/// A site has the size that its record promises: no padding, no compression.
void SitePrinter::emitSite() {
  const SlotLayout &Layout = *Table.Layout;
  MCStreamer &Out = *AP.OutStreamer;
  bool AutoPadding = Out.getAllowAutoPadding();
  Out.setAllowAutoPadding(false);
  bool Enclose = Out.hasRawTextSupport() && !Layout.TextBefore.empty();
  if (Enclose)
    Out.emitRawText(Layout.TextBefore);
  if (Layout.StubOpcode)
    emitBranches();
  else
    emitCode(Table.SiteCode);
  const MCInst Nop = AP.MF->getSubtarget().getInstrInfo()->getNop();
  for (unsigned Bytes = 0; Bytes < Current->Padding; Bytes += 4)
    emitCode(Nop);
  if (Enclose)
    Out.emitRawText(Layout.TextAfter);
  Out.setAllowAutoPadding(AutoPadding);
}

void SitePrinter::endFunction(const MachineFunction *MF) {
  if (!Current)
    return;
  emitRecord();
  Current = nullptr;
  Table.Sites.erase(&MF->getFunction());
}

/// Link order ties records to the section of their functions, and both to its
/// COMDAT group if it has one. A label says which section that is, because
/// several may have one name.
MCSection *SitePrinter::recordSection() {
  auto *Functions = static_cast<const MCSectionELF *>(AP.MF->getSection());
  MCSection *&Section = RecordSections[Functions];
  if (!Section) {
    const MCSymbolELF *Group = Functions->getGroup();
    Section = AP.OutContext.getELFSection(
        PATCHBAY_SITES_SECTION, ELF::SHT_PROGBITS,
        ELF::SHF_ALLOC | ELF::SHF_LINK_ORDER | (Group ? ELF::SHF_GROUP : 0), 0,
        Group ? Group->getName() : "", Functions->isComdat(),
        MCSection::NonUniqueID, static_cast<const MCSymbolELF *>(Entry));
  }
  return Section;
}

/// Addresses are differences of local labels, so neither an interposed symbol
/// nor position-independent code needs a dynamic relocation.
void SitePrinter::emitRecord() {
  static_assert(offsetof(patchbay_record, entry) == 0 &&
                    offsetof(patchbay_record, site) == 4,
                "the record begins with entry and site");
  MCStreamer &Out = *AP.OutStreamer;
  MCContext &Context = AP.OutContext;
  auto Reference = [&](MCSymbol *Symbol) {
    return MCSymbolRefExpr::create(Symbol, Context);
  };
  auto EmitRelative = [&](MCSymbol *Target) {
    MCSymbol *Here = Context.createTempSymbol();
    Out.emitLabel(Here);
    Out.emitValue(
        MCBinaryExpr::createSub(Reference(Target), Reference(Here), Context),
        4);
  };
  Out.pushSection();
  Out.switchSection(recordSection());
  Out.emitValueToAlignment(Align(4));
  EmitRelative(Entry);
  EmitRelative(Current->Label);
  const patchbay_record R = record();
  Out.emitInt32(R.signature);
  Out.emitInt8(R.gp_args);
  Out.emitInt8(R.fp_args);
  Out.emitInt8(R.stack_arg_words);
  Out.emitInt8(R.flags);
  Out.popSection();
}

/// Its readers are linkers and tools, which read files, so it is not part of
/// the loaded image.
void SitePrinter::emitNote() {
  MCStreamer &Out = *AP.OutStreamer;
  Out.pushSection();
  Out.switchSection(
      AP.OutContext.getELFSection(PATCHBAY_NOTE_SECTION, ELF::SHT_NOTE, 0));
  Out.emitValueToAlignment(Align(4));
  Out.emitInt32(sizeof(PATCHBAY_NOTE_NAME));
  Out.emitInt32(sizeof(patchbay_note));
  Out.emitInt32(PATCHBAY_NOTE_ABI);
  Out.emitBytes(StringRef(PATCHBAY_NOTE_NAME, sizeof(PATCHBAY_NOTE_NAME)));
  Out.emitValueToAlignment(Align(4));
  Out.emitInt32(PATCHBAY_ABI_VERSION);
  Out.emitInt32(Table.Mode);
  Out.popSection();
}

/// What AsmPrinter does with a module's own assembly, which it has printed by
/// the time that the first function is chosen. Assembly output goes through the
/// parser, too: it may be in another syntax.
void SitePrinter::emitText(StringRef Text) {
  const TargetMachine &TM = AP.TM;
  // The context's own, for it to find where an error is: what a program
  // defines may have one of our names.
  AP.OutContext.initInlineSourceManager();
  SourceMgr &Sources = *AP.OutContext.getInlineSourceManager();
  unsigned Buffer = Sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBufferCopy(Text, "patchbay module"), SMLoc());
  std::unique_ptr<MCInstrInfo> Instructions(TM.getTarget().createMCInstrInfo());
#if LLVM_VERSION_MAJOR >= 23
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(
      Sources, AP.OutContext, *AP.OutStreamer, AP.MAI, Buffer));
  std::unique_ptr<MCTargetAsmParser> TargetParser(
      TM.getTarget().createMCAsmParser(*Subtarget, *Parser, *Instructions));
#else
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(
      Sources, AP.OutContext, *AP.OutStreamer, *AP.MAI, Buffer));
  std::unique_ptr<MCTargetAsmParser> TargetParser(
      TM.getTarget().createMCAsmParser(*Subtarget, *Parser, *Instructions,
                                       TM.Options.MCOptions));
#endif
  Parser->setAssemblerDialect(DefaultDialect);
  Parser->setTargetParser(*TargetParser);
  Parser->Run(/*NoInitialTextSection=*/true, /*NoFinalize=*/true);
}

/// Trampolines of the module's own have a name that unwind tables refer to. Sites without
/// stubs' places are for objects whose hidden names become local (objcopy), and then what
/// a linker drops could not be replaced by what it keeps.
static SlotLayout moduleLayout(const SlotLayout &Layout) {
  SlotLayout Result = Layout;
  if (options().ZeroSites) {
    Result.Trampolines = "";
    Result.TrampolinesLayout = Result.TableSize = 0;
  }
  return Result;
}

void SitePrinter::endModule() {
  if (Table.Mode)
    emitNote();
  if (Table.Mode == PATCHBAY_MODE_USER)
    emitText(moduleText(moduleLayout(*Table.Layout)));
  RecordSections.clear();
  Table.Mode = 0;
}

void SitePrinterHook::beginAssembly(Module &, GCModuleInfo &, AsmPrinter &AP) {
  if (Installed)
    return;
  SiteTable &Table = static_cast<SiteStrategy &>(getStrategy()).Table;
  AP.addAsmPrinterHandler(std::make_unique<SitePrinter>(AP, Table));
  Installed = true;
}
