// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SitePrinter.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbolELF.h"

using namespace llvm;
using namespace patchbay;

namespace {

class SitePrinter : public AsmPrinterHandler {
  AsmPrinter &AP;
  SiteTable &Table;

  // The site of the function that LLVM is printing, or null.
  const Site *Current = nullptr;
  MCSymbol *Entry = nullptr;
  bool AtMarker = false;

  /// The start and size of code without LLVM's own unwind information.
  SmallVector<std::pair<const MCExpr *, unsigned>> Frames;

  /// The current function's subtarget. With LTO the module's subtarget lacks
  /// the features of the ABI.
  const MCSubtargetInfo *Subtarget = nullptr;

  /// Maps each section of functions to the section of their records.
  DenseMap<const MCSection *, MCSection *> RecordSections;

  void emitCode(ArrayRef<MCInst> Code);
  void emitBranches();
  void emitSite();
  MCSection *recordSection();
  void emitRecord();
  void describePad();
  void emitFrames();
  const MCExpr *add(const MCSymbol *Symbol, int64_t Bytes) const;
  void emitRelative(const MCExpr *Target);
  void emitNote();
  void emitBytes(const CodeSection &Code, ArrayRef<MCSymbol *> Targets);
  void emitStubs();

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
  // recordSection() refers to the first entry label of a section by name, so
  // give this label a name even if LLVM omits the names of temporary symbols.
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

const MCExpr *SitePrinter::add(const MCSymbol *Symbol, int64_t Bytes) const {
  return MCBinaryExpr::createAdd(
      MCSymbolRefExpr::create(Symbol, AP.OutContext),
      MCConstantExpr::create(Bytes, AP.OutContext), AP.OutContext);
}

/// Emits a 32-bit PC-relative reference to \p Target. A reference to a local
/// label needs no dynamic relocation, even in position-independent code or if
/// the function's symbol is interposed.
void SitePrinter::emitRelative(const MCExpr *Target) {
  MCSymbol *Here = AP.OutContext.createTempSymbol();
  AP.OutStreamer->emitLabel(Here);
  AP.OutStreamer->emitValue(
      MCBinaryExpr::createSub(
          Target, MCSymbolRefExpr::create(Here, AP.OutContext), AP.OutContext),
      4);
}

void SitePrinter::emitCode(ArrayRef<MCInst> Code) {
  for (const MCInst &Inst : Code)
    AP.OutStreamer->emitInstruction(Inst, *Subtarget);
}

/// Emits an x86-64 site. The immediate is the displacement for a call of the
/// stub. With ZeroSites the immediate is 0, and the runtime writes the
/// displacement before arming the site for the first time.
void SitePrinter::emitBranches() {
  MCStreamer &Out = *AP.OutStreamer;
  MCContext &Context = AP.OutContext;
  constexpr unsigned DisplacementSize = 4;
  const MCExpr *Displacement = MCBinaryExpr::createSub(
      add(AP.getSymbol(Table.Data.Stubs),
          PATCHBAY_X86_64_STUB_SIZE *
              patchbay_x86_64_stub(&Current->Record, Current->AfterLandingPad)),
      add(Current->Label, 1 + DisplacementSize), Context);
  // Emit an instruction if the dialect accepts a difference as an immediate:
  // assemblers give line information only to instructions.
#if LLVM_VERSION_MAJOR >= 23
  const unsigned Dialect = AP.MAI.getAssemblerDialect();
#else
  const unsigned Dialect = AP.MAI->getAssemblerDialect();
#endif
  if (Table.ZeroSites) {
    emitCode(Table.SiteCode);
  } else if (Dialect == 0) { // AT&T's
    MCInst Branch = Table.SiteCode.front();
    Branch.getOperand(0) = MCOperand::createExpr(Displacement);
    emitCode(Branch);
  } else {
    Out.emitInt8(PATCHBAY_X86_64_SITE_DISARMED);
    Out.emitValue(Displacement, DisplacementSize);
  }
  Out.emitInt8(PATCHBAY_X86_64_SITE_JB);
  Out.emitInt8(Current->PadOffset - PATCHBAY_X86_64_SITE_SIZE -
               (Current->AfterLandingPad ? int(LandingPadSize) : 0));
}

/// Emits a site without padding or compressed instructions, which change sizes.
void SitePrinter::emitSite() {
  const SlotLayout &Layout = *Table.Layout;
  MCStreamer &Out = *AP.OutStreamer;
  bool AutoPadding = Out.getAllowAutoPadding();
  Out.setAllowAutoPadding(false);
  bool Enclose = Out.hasRawTextSupport() && !Layout.TextBefore.empty();
  if (Enclose)
    Out.emitRawText(Layout.TextBefore);
  if (Layout.Code)
    emitBranches();
  else
    emitCode(Table.SiteCode);
  for (unsigned Bytes = 0; Bytes < Current->Padding; Bytes += 4)
    emitCode(Table.SiteCode.back());
  if (Enclose)
    Out.emitRawText(Layout.TextAfter);
  Out.setAllowAutoPadding(AutoPadding);
}

void SitePrinter::endFunction(const MachineFunction *MF) {
  if (!Current)
    return;
  emitRecord();
  if (Table.Layout->Code)
    describePad();
  Current = nullptr;
  Table.Sites.erase(&MF->getFunction());
}

/// Returns the section for the records of functions in the current section.
/// SHF_LINK_ORDER makes linkers keep or drop both sections together. The
/// reference is to a label, because several sections may have the same name.
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

void SitePrinter::emitRecord() {
  static_assert(offsetof(patchbay_record, entry) == 0 &&
                    offsetof(patchbay_record, site) == 4,
                "the record begins with entry and site");
  MCStreamer &Out = *AP.OutStreamer;
  Out.pushSection();
  Out.switchSection(recordSection());
  Out.emitValueToAlignment(Align(4));
  emitRelative(MCSymbolRefExpr::create(Entry, AP.OutContext));
  emitRelative(MCSymbolRefExpr::create(Current->Label, AP.OutContext));
  const patchbay_record &R = Current->Record;
  Out.emitInt32(R.signature);
  Out.emitInt8(R.gp_args);
  Out.emitInt8(R.fp_args);
  Out.emitInt8(R.stack_arg_words);
  Out.emitInt8(R.flags);
  Out.popSection();
}

static MCSection *frameSection(MCContext &Context) {
  return const_cast<MCObjectFileInfo *>(Context.getObjectFileInfo())
      ->getEHFrameSection();
}

/// Gives the pad a symbol and unwind information, for profilers and debuggers
/// that stop a thread in the pad. LLVM's own unwind information must begin at
/// the entry, because exception tables count from the beginning. The symbol has
/// no type, because the pad belongs to a function. The name is a suffix of the
/// function's section name, so that the string table stores both as one string,
/// but has no prefix `.L`, because assemblers drop symbols with that prefix.
void SitePrinter::describePad() {
  MCStreamer &Out = *AP.OutStreamer;
  const MCExpr *Pad = add(Entry, Current->PadOffset);
  StringRef Function = AP.CurrentFnSym->getName();
  MCSymbol *Name = AP.OutContext.getOrCreateSymbol(
      (Function.starts_with("L") ? "pad." : ".") + Function);
  if (Name->isUndefined()) {
    Out.emitAssignment(Name, Pad);
    Out.emitELFSize(Name, MCConstantExpr::create(PATCHBAY_SLOT_SIZE, AP.OutContext));
  }
  if (AP.getFunctionCFISectionType(*AP.MF) == AsmPrinter::CFISection::EH)
    Frames.push_back({Pad, PATCHBAY_SLOT_SIZE});
}

/// Emits unwind information for code that has the frame of a function entry.
/// The distances to the common entry are constants, because the assembler would
/// take time in proportion to the number of functions for each distance.
void SitePrinter::emitFrames() {
  if (Frames.empty())
    return;
  MCStreamer &Out = *AP.OutStreamer;
  Out.pushSection();
  Out.switchSection(frameSection(AP.OutContext));
  StringRef Common = Table.Layout->Code->PadFrame;
  Out.emitBytes(Common);
  size_t Distance = Common.size();
  for (auto [Begin, Size] : Frames) {
    // The entry's size, the distance to the common entry, the code's address
    // and size, no augmentation, and three bytes of padding.
    Out.emitInt32(16);
    Out.emitInt32(Distance + 4);
    emitRelative(Begin);
    Out.emitInt32(Size);
    Out.emitInt32(0);
    Distance += 20;
  }
  Out.popSection();
}

/// Emits the ABI note, which linkers and tools read from the file. Programs do
/// not load the note.
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

/// Emits code that was assembled when the pass was built, as bytes, which
/// macros and directives in a program's own assembly cannot change.
void SitePrinter::emitBytes(const CodeSection &Code,
                            ArrayRef<MCSymbol *> Targets) {
  MCStreamer &Out = *AP.OutStreamer;
  StringRef Bytes = toStringRef(Code.Bytes);
  size_t Done = 0;
  for (const CodeFixup &Fixup : Code.Fixups) {
    if (Fixup.Offset >= Bytes.size())
      break;
    Out.emitBytes(Bytes.slice(Done, Fixup.Offset));
    emitRelative(add(Targets[Fixup.Target], Fixup.Addend));
    Done = Fixup.Offset + 4;
  }
  Out.emitBytes(Bytes.drop_front(Done));
}

/// Emits the stubs and, without ZeroSites, the module's own trampolines. The
/// unwind information of trampolines refers to a hidden name. If a linker drops
/// the object's COMDAT group, the name must resolve to the group that the
/// linker keeps. Objects whose hidden names objcopy makes local need ZeroSites.
void SitePrinter::emitStubs() {
  const ModuleCode &Code = *Table.Layout->Code;
  MCStreamer &Out = *AP.OutStreamer;
  MCContext &Context = AP.OutContext;
  auto Section = [&](const Twine &Name, unsigned Flags) {
    return Context.getELFSection(Name + "." PATCHBAY_MODULE_SYMBOL,
                                 ELF::SHT_PROGBITS,
                                 ELF::SHF_ALLOC | ELF::SHF_GROUP | Flags, 0,
                                 PATCHBAY_MODULE_SYMBOL, /*IsComdat=*/true);
  };
  MCSymbol *Stubs = AP.getSymbol(Table.Data.Stubs);
  MCSymbol *Targets[] = {Context.createTempSymbol(), Context.createTempSymbol(),
                         AP.getSymbol(Table.Data.Links),
                         Context.getOrCreateSymbol("__patchbay_personality_2")};
  Out.pushSection();
  Out.switchSection(Section(".text", ELF::SHF_EXECINSTR));
  Out.emitValueToAlignment(Align(64), Table.Layout->FillByte);
  if (Stubs->getName() == PATCHBAY_X86_64_STUBS_SYMBOL) {
    Out.emitSymbolAttribute(Stubs, MCSA_Weak);
    Out.emitSymbolAttribute(Stubs, MCSA_Hidden);
  }
  Out.emitSymbolAttribute(Stubs, MCSA_ELF_TypeFunction);
  Out.emitLabel(Stubs);
  Out.emitLabel(Targets[CodeFixup::Text]);
  if (Table.ZeroSites) {
    emitBytes({Code.Text.Bytes.take_front(Code.StubsSize), Code.Text.Fixups},
              Targets);
    Out.emitELFSize(Stubs, MCConstantExpr::create(Code.StubsSize, Context));
    Frames.push_back({add(Stubs, 0), Code.StubsSize});
  } else {
    emitBytes(Code.Text, Targets);
    Out.emitELFSize(Stubs, MCConstantExpr::create(Code.Text.Bytes.size(), Context));
    MCSymbol *Personality = Targets[CodeFixup::Personality];
    Out.emitSymbolAttribute(Personality, MCSA_Weak);
    Out.emitSymbolAttribute(Personality, MCSA_Hidden);
    Out.emitAssignment(Personality,
                       add(Targets[CodeFixup::Links],
                           PATCHBAY_X86_64_TABLE_OFFSET +
                               PATCHBAY_X86_64_TABLE_PERSONALITY));
    Out.switchSection(Section(".gcc_except_table", 0));
    Out.emitValueToAlignment(Align(4));
    Out.emitLabel(Targets[CodeFixup::ExceptTable]);
    emitBytes(Code.ExceptTable, Targets);
    Out.switchSection(frameSection(Context));
    emitBytes(Code.Frames, Targets);
  }
  Out.popSection();
}

void SitePrinter::endModule() {
  if (Table.Mode)
    emitNote();
  if (Table.Mode == PATCHBAY_MODE_USER && Table.Data.Stubs)
    emitStubs();
  emitFrames();
  RecordSections.clear();
  Frames.clear();
  Table.Mode = 0;
}

void SitePrinterHook::beginAssembly(Module &, GCModuleInfo &, AsmPrinter &AP) {
  if (Installed)
    return;
  SiteTable &Table = static_cast<SiteStrategy &>(getStrategy()).Table;
  AP.addAsmPrinterHandler(std::make_unique<SitePrinter>(AP, Table));
  Installed = true;
}
