// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slot becomes prefix data of the function. Everything else is text of one
// inline assembly instruction: plugins cannot name a target's opcodes, and
// text that carries its own sections needs no hook in LLVM's printer.
#include "SlotEmitter.h"
#include "Arguments.h"
#include "SectionText.h"
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

/// Takes the hash out of LLVM's hands: on x86-64 it would be put behind 11
/// nops, whose place slot and pad take, and elsewhere it would count as part of
/// the function when LLVM aligns that.
static std::optional<uint32_t> takeHash(Function &F) {
  const MDNode *Type = F.getMetadata(LLVMContext::MD_kcfi_type);
  if (!Type || !F.getParent()->getModuleFlag("kcfi"))
    return std::nullopt;
  uint32_t Hash =
      mdconst::extract<ConstantInt>(Type->getOperand(0))->getZExtValue();
  F.eraseMetadata(LLVMContext::MD_kcfi_type);
  return Hash;
}

/// The alignment that the printer will give the start of the function's
/// prefix, raised to a slot's.
static Align settleAlignment(MachineFunction &MF) {
  Function &F = MF.getFunction();
  const Align SlotAlign(PATCHBAY_SLOT_SIZE);
  MF.ensureAlignment(SlotAlign);
  MaybeAlign Asked = F.getAlign();
  if (!Asked)
    return MF.getAlignment();
  if (!F.hasSection())
    return std::max(*Asked, MF.getAlignment());
  // In a section of its own choice a function gets what it asks for, no more.
  F.setAlignment(std::max(*Asked, SlotAlign));
  return *F.getAlign();
}

/// Puts the slot in front of the function. LLVM aligns the start of prefix
/// data, so the entry is aligned as asked only if the prefix is a multiple.
static unsigned emitPrefix(MachineFunction &MF, const SlotLayout &Layout,
                           std::optional<uint32_t> Hash) {
  SmallVector<uint8_t> Prefix = layOutPrefix(Layout, Hash, settleAlignment(MF));
  Function &F = MF.getFunction();
  F.setPrefixData(ConstantDataArray::get(F.getContext(), Prefix));
  return Prefix.size();
}

static StringRef nameOf(const MachineInstr &MI) {
  return MI.getMF()->getSubtarget().getInstrInfo()->getName(MI.getOpcode());
}

/// The first instruction of \p Entry that becomes code, or its end.
static MachineBasicBlock::iterator firstInstruction(MachineBasicBlock &Entry,
                                                    const SlotLayout &Layout) {
  return find_if(Entry, [&](const MachineInstr &MI) {
    return !MI.isMetaInstruction() &&
           !is_contained(Layout.Directives, nameOf(MI));
  });
}

/// The landing pad at the start of \p Entry, or its end if there is none.
static MachineBasicBlock::iterator findLandingPad(MachineBasicBlock &Entry,
                                                  const SlotLayout &Layout) {
  auto First = firstInstruction(Entry, Layout);
  if (First != Entry.end() &&
      any_of(Layout.LandingPads, [&](const LandingPad &Pad) {
        return nameOf(*First) == Pad.Name &&
               (!Pad.Immediate ||
                First->getOperand(0).getImm() == *Pad.Immediate);
      }))
    return First;
  return Entry.end();
}

/// Whether the site takes a place that has to be a landing pad from an
/// instruction that is one.
static bool needsLandingPad(MachineBasicBlock &Entry,
                            const SlotLayout &Layout) {
  auto First = firstInstruction(Entry, Layout);
  return First != Entry.end() &&
         is_contained(Layout.ImpliedLandingPads, nameOf(*First)) &&
         Entry.getParent()->getFunction().hasFnAttribute(
             Layout.LandingPadAttribute);
}

/// The block that control enters the function by, and never again.
static MachineBasicBlock &entryBlock(MachineFunction &MF,
                                     const SlotLayout &Layout) {
  MachineBasicBlock &First = MF.front();
  if (First.pred_empty())
    return First;
  MachineBasicBlock *Entry = MF.CreateMachineBasicBlock();
  MF.push_front(Entry);
  Entry->addSuccessor(&First);
  for (const auto &LiveIn : First.liveins())
    Entry->addLiveIn(LiveIn);
  auto LandingPad = findLandingPad(First, Layout);
  if (LandingPad != First.end())
    Entry->splice(Entry->begin(), &First, LandingPad);
  return *Entry;
}

unsigned patchbay::emitSlot(MachineFunction &MF, const SlotLayout &Layout,
                            bool FirstInObject) {
  std::optional<uint32_t> Hash = takeHash(MF.getFunction());
  unsigned PrefixSize = emitPrefix(MF, Layout, Hash);

  MachineBasicBlock &Entry = entryBlock(MF, Layout);
  auto LandingPad = findLandingPad(Entry, Layout);
  bool HasLandingPad = LandingPad != Entry.end();
  bool AddLandingPad = needsLandingPad(Entry, Layout);
  unsigned EntryDistance =
      HasLandingPad || AddLandingPad ? Layout.LandingPadSize : 0;
  auto InsertPoint = HasLandingPad ? std::next(LandingPad) : Entry.begin();

  int ToPad = PATCHBAY_PAD_OFFSET - int(EntryDistance + Layout.SiteSize);
  // ${:private} and ${:uid} make a label that no other site has.
  constexpr StringLiteral Site = "${:private}patchbay_site${:uid}";
  std::string Text;
  if (AddLandingPad)
    Text += Layout.LandingPadText;
  Text += Site.str() + ":\n";
  Text += formatv(/*Validate=*/false, Layout.Site.data(), ToPad & 0xFF);
  Text += recordText(Site, EntryDistance, Hash ? maskHash(Layout, *Hash) : 0,
                     summarizeArguments(MF, Layout));
  if (FirstInObject)
    Text += noteText() + moduleText(Layout);

  const TargetSubtargetInfo &STI = MF.getSubtarget();
  Register Clobber = STI.getTargetLowering()
                         ->getRegForInlineAsmConstraint(
                             STI.getRegisterInfo(), Layout.Clobber, MVT::Other)
                         .first;
  // No debug location: the function's own line covers the site, as it does
  // LLVM's patchable entries.
  BuildMI(Entry, InsertPoint, DebugLoc(),
          STI.getInstrInfo()->get(TargetOpcode::INLINEASM))
      .addExternalSymbol(MF.createExternalSymbolName(Text))
      .addImm(InlineAsm::Extra_HasSideEffects)
      .addImm(InlineAsm::Flag(InlineAsm::Kind::Clobber, 1))
      .addReg(Clobber, RegState::ImplicitDefine | RegState::EarlyClobber |
                           RegState::Dead);
  return PrefixSize;
}
