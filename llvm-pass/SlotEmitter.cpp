// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits a function's slot as prefix data. LLVM prints prefix data before the
// words of kCFI and -fsanitize=function, so that the words keep the distance
// from the entry at which callers read them.
#include "SitePrinter.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace patchbay;

/// Gives the function at least a slot's alignment. Returns the alignment that
/// LLVM will give to the start of the prefix.
static Align settleAlignment(MachineFunction &MF) {
  Function &F = MF.getFunction();
  const Align SlotAlign(PATCHBAY_SLOT_SIZE);
  MF.ensureAlignment(SlotAlign);
#if LLVM_VERSION_MAJOR >= 23
  // Since LLVM 23 the target's preferred alignment applies only to functions
  // with at least as many bytes. The prefix alone has that size.
  const Align Settled = MF.getPreferredAlignment();
#else
  const Align Settled = MF.getAlignment();
#endif
  MaybeAlign Asked = F.getAlign();
  if (!Asked)
    return Settled;
  if (!F.hasSection())
    return std::max(*Asked, Settled);
  // In an explicit section a function gets the requested alignment. (Since LLVM
  // 23 the alignment may be larger, which is also correct.)
  F.setAlignment(std::max(*Asked, SlotAlign));
  return *F.getAlign();
}

/// The function's arity as LLVM's printer counts it for kcfi-arity: the live-in
/// general registers, or 7 if arguments are on the stack.
static unsigned countArity(const MachineFunction &MF,
                           const SlotLayout &Layout) {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  for (int I = MFI.getObjectIndexBegin(); I != 0; ++I) {
    // In a function that uses `...`, an object at offset 0 may only mark the
    // end of the named arguments.
    int64_t Offset = MFI.getObjectOffset(I);
    if (Offset > 0 || (Offset == 0 && !MFI.hasVAStart()))
      return 7;
  }
  const TargetRegisterInfo *TRI = MF.getSubtarget().getRegisterInfo();
  return count_if(MF.getRegInfo().liveins(), [&](auto &LiveIn) {
    return any_of(seq(TRI->getNumRegClasses()), [&](unsigned ID) {
      const TargetRegisterClass *Class = TRI->getRegClass(ID);
      return is_contained(split(Layout.ArityClasses, ' '),
                          TRI->getRegClassName(Class)) &&
             Class->contains(LiveIn.first);
    });
  });
}

/// The words between slot and entry that are not the pad.
struct PrefixWords {
  /// The kCFI hash as callers check it, and the opcode before the hash, if any.
  std::optional<uint32_t> Hash;
  std::optional<uint8_t> HashOpcode;

  /// The offset of the pad from the entry.
  int PadOffset = PATCHBAY_PAD_OFFSET;
};

/// Removes the kCFI hash from the function, because the pass emits the hash as
/// prefix data. On x86-64 LLVM would emit 11 NOPs before the hash, where slot
/// and pad are. On other targets LLVM would align the hash, not the entry.
static PrefixWords takeWords(MachineFunction &MF, const SlotLayout &Layout) {
  Function &F = MF.getFunction();
  PrefixWords Words;
  if (F.hasMetadata(LLVMContext::MD_func_sanitize))
    Words.PadOffset = PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET;
  const MDNode *Type = F.getMetadata(LLVMContext::MD_kcfi_type);
  if (!Type || !F.getParent()->getModuleFlag("kcfi"))
    return Words;
  uint32_t Hash =
      mdconst::extract<ConstantInt>(Type->getOperand(0))->getZExtValue();
  F.eraseMetadata(LLVMContext::MD_kcfi_type);
  if (any_of(Layout.ReservedHashes, [&](uint32_t Value) {
        return Hash == Value || Hash == 0 - Value;
      }))
    ++Hash;
  Words.Hash = Hash;
  if (Layout.HashOpcode) {
    Words.HashOpcode = *Layout.HashOpcode;
    if (F.getParent()->getModuleFlag("kcfi-arity"))
      *Words.HashOpcode += countArity(MF, Layout);
  }
  return Words;
}

/// Puts slot, pad and hash before the function. LLVM aligns the start of prefix
/// data, so the size of the prefix must be a multiple of the alignment for the
/// entry to be aligned.
static unsigned emitPrefix(MachineFunction &MF, const SlotLayout &Layout,
                           const PrefixWords &Words) {
  static_assert(PATCHBAY_SLOT_OFFSET == -PATCHBAY_PREFIX_SIZE &&
                    PATCHBAY_PAD_OFFSET ==
                        PATCHBAY_SLOT_OFFSET + PATCHBAY_SLOT_SIZE &&
                    PATCHBAY_HASH_OFFSET == -PATCHBAY_HASH_SIZE,
                "the prefix is slot, pad, hash");
  static_assert(PATCHBAY_X86_64_MOV_OFFSET == PATCHBAY_HASH_OFFSET - 1,
                "an opcode sits directly before the hash");
  const size_t Size = alignTo(std::max(PATCHBAY_PREFIX_SIZE, -Words.PadOffset),
                              settleAlignment(MF));
  SmallVector<uint8_t> Prefix(Size, Layout.FillByte);
  uint8_t *Entry = Prefix.end();
  std::fill_n(Entry + PATCHBAY_SLOT_OFFSET, PATCHBAY_SLOT_SIZE, 0);
  for (int Word = 0; Word != 2; ++Word)
    support::endian::write32le(Entry + Words.PadOffset + 4 * Word,
                               Layout.PadWord);
  if (Words.HashOpcode)
    Entry[PATCHBAY_HASH_OFFSET - 1] = *Words.HashOpcode;
  if (Words.Hash)
    support::endian::write32le(Entry + PATCHBAY_HASH_OFFSET, *Words.Hash);
  // LLVM itself adds the two words of -fsanitize=function.
  if (Words.PadOffset != PATCHBAY_PAD_OFFSET)
    Prefix.truncate(Size + PATCHBAY_PAD_OFFSET);
  Function &F = MF.getFunction();
  F.setPrefixData(ConstantDataArray::get(F.getContext(), Prefix));
  return Prefix.size();
}

/// Returns the first instruction of \p Entry that emits code if \p Code lists
/// the instruction, otherwise null.
static MachineInstr *findAtStart(MachineBasicBlock &Entry, StringRef Code,
                                 const SlotLayout &Layout) {
  auto First = find_if(Entry, [&](const MachineInstr &MI) {
    return !MI.isMetaInstruction() && !isOneOf(MI, Layout.Directives);
  });
  return First != Entry.end() && isOneOf(*First, Code) ? &*First : nullptr;
}

/// Returns a block that runs only at the function's entry; adds one if the
/// first block is in a loop.
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
  if (MachineInstr *LandingPad =
          findAtStart(First, Layout.LandingPads, Layout))
    Entry->splice(Entry->begin(), &First, LandingPad);
  // Debug values at the start of the loop are also valid at the function's
  // entry.
  for (MachineInstr &MI : make_range(
           First.begin(), skipDebugInstructionsForward(First.begin(), First.end())))
    Entry->push_back(MF.CloneMachineInstr(&MI));
  // On targets where the pass runs late, LLVM has already assigned sections to
  // blocks.
  Entry->setSectionID(First.getSectionID());
  Entry->setIsBeginSection(First.isBeginSection());
  First.setIsBeginSection(false);
  return *Entry;
}

/// Returns the padding to add to \p Inserted bytes at the entry, so that LLVM's
/// padding before aligned blocks does not grow. Otherwise a branch target could
/// get out of the reach that LLVM has already checked. Functions shorter than
/// the reach need no padding.
static unsigned findPadding(const MachineFunction &MF, const SlotLayout &Layout,
                            unsigned Inserted) {
  Align Max;
  for (const MachineBasicBlock &MBB : MF)
    Max = std::max(Max, MBB.getAlignment());
  if (!Layout.BranchReach || isAligned(Max, Inserted))
    return 0;
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  uint64_t Size = 0;
  for (const MachineBasicBlock &MBB : MF) {
    Size += MBB.getAlignment().value();
    for (const MachineInstr &MI : MBB)
      Size += TII.getInstSizeInBytes(MI);
  }
  return Size < Layout.BranchReach ? 0 : offsetToAlignment(Inserted, Max);
}

unsigned patchbay::emitSlot(MachineFunction &MF, MachineModuleInfo &MMI,
                            SiteTable &Table) {
  const SlotLayout &Layout = *Table.Layout;
  PrefixWords Words = takeWords(MF, Layout);
  if (Table.KernelMode)
    return emitPrefix(MF, Layout, Words);
  MachineBasicBlock &Entry = entryBlock(MF, Layout);
  // An aligned entry block would have padding between entry and site.
  MF.ensureAlignment(Entry.getAlignment());
  Entry.setAlignment(Align(1));
  unsigned PrefixSize = emitPrefix(MF, Layout, Words);

  MachineInstr *LandingPad = findAtStart(Entry, Layout.LandingPads, Layout);
  auto InsertPoint = Entry.begin();
  if (LandingPad)
    InsertPoint = std::next(MachineBasicBlock::iterator(LandingPad));
  // Parameter locations are valid from the entry on.
  InsertPoint = skipDebugInstructionsForward(InsertPoint, Entry.end());

  Site &TheSite = Table.Sites[&MF.getFunction()];
  TheSite.Label = MF.getContext().createTempSymbol("patchbay_site");
  // An implied landing pad comes after the site, so the entry needs its own.
  TheSite.AddLandingPad =
      findAtStart(Entry, Layout.ImpliedLandingPads, Layout) &&
      MF.getFunction().hasFnAttribute(Layout.LandingPadAttribute);
  TheSite.AfterLandingPad = LandingPad || TheSite.AddLandingPad;
  TheSite.PadOffset = Words.PadOffset;
  TheSite.Padding = findPadding(
      MF, Layout,
      Layout.SiteSize + (TheSite.AddLandingPad ? LandingPadSize : 0));
  TheSite.Record.signature = Words.Hash.value_or(0);
  describeArguments(MF, MMI, Layout, Table.Registers, TheSite.Record);

  // Without a debug location the site belongs to the function's own line, like
  // LLVM's patchable entries.
  BuildMI(Entry, InsertPoint, DebugLoc(),
          MF.getSubtarget().getInstrInfo()->get(TargetOpcode::ANNOTATION_LABEL))
      .addSym(TheSite.Label);
  return PrefixSize;
}
