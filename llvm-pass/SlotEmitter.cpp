// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slot becomes prefix data of the function. Everything else is text of one
// inline assembly instruction: plugins cannot name a target's opcodes, and
// text that carries its own sections needs no hook in LLVM's printer.
#include "SlotEmitter.h"
#include "Arguments.h"
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

// The descriptor's symbol, and the signature of the group that it is in.
#define MODULE "__patchbay_module"

/// Takes the hash out of LLVM's hands, which would put it behind 11 nops: slot
/// and pad fit where those are.
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

/// The block that control enters the function by, and never again.
static MachineBasicBlock &entryBlock(MachineFunction &MF) {
  MachineBasicBlock &First = MF.front();
  if (First.pred_empty())
    return First;
  MachineBasicBlock *Entry = MF.CreateMachineBasicBlock();
  MF.push_front(Entry);
  Entry->addSuccessor(&First);
  for (const auto &LiveIn : First.liveins())
    Entry->addLiveIn(LiveIn);
  return *Entry;
}

/// The landing pad at the start of \p Entry, or its end if there is none.
static MachineBasicBlock::iterator findLandingPad(MachineBasicBlock &Entry,
                                                  const SlotLayout &Layout) {
  const TargetInstrInfo *TII = Entry.getParent()->getSubtarget().getInstrInfo();
  auto First = find_if(
      Entry, [](const MachineInstr &MI) { return !MI.isMetaInstruction(); });
  if (First != Entry.end() &&
      is_contained(Layout.LandingPads, TII->getName(First->getOpcode())))
    return First;
  return Entry.end();
}

/// The record of the site {0}, which is {1} bytes behind the entry. `?` puts
/// it into the function's COMDAT group if that has one.
static std::string recordText(StringRef Site, unsigned EntryDistance,
                              uint32_t Signature, const ArgumentSummary &Args) {
  return formatv("\t.pushsection " PATCHBAY_SITES_SECTION
                 ",\"ao?\",@progbits,{0}\n"
                 "\t.p2align 2\n"
                 "\t.long {0}-{1}-.\n"
                 "\t.long {0}-.\n"
                 "\t.long {2}\n"
                 "\t.byte {3}, {4}, {5}, {6}\n"
                 "\t.popsection\n",
                 Site, EntryDistance, Signature, Args.GPArgs, Args.FPArgs,
                 Args.StackArgWords, Args.Flags);
}

/// The note of the object file. Its readers are linkers and tools, which read
/// files, so it is not part of the loaded image.
static std::string noteText() {
  return formatv("\t.pushsection " PATCHBAY_NOTE_SECTION ",\"\",@note\n"
                 "\t.p2align 2\n"
                 "\t.long {0}, 8, {1}\n"
                 "\t.asciz \"" PATCHBAY_NOTE_NAME "\"\n"
                 "\t.p2align 2\n"
                 "\t.long {2}, {3}\n"
                 "\t.popsection\n",
                 sizeof(PATCHBAY_NOTE_NAME), PATCHBAY_NOTE_ABI,
                 PATCHBAY_ABI_VERSION, PATCHBAY_MODE_USER);
}

/// A function {0} that calls {1} with the descriptor, and its entry in {2}.
/// Priority 1 is the earliest constructor and the latest destructor, so that
/// those of the program can be traced.
static std::string moduleCallText(const SlotLayout &Layout, StringRef Name,
                                  StringRef Callee, StringRef Array) {
  std::string Body = formatv(Layout.ModuleCall.data(), MODULE, Callee);
  return formatv("\t.pushsection .text.startup." MODULE
                 ",\"axG\",@progbits," MODULE ",comdat\n"
                 "\t.p2align 4\n"
                 "\t.type {0},@function\n"
                 "{0}:\n"
                 "{1}"
                 "\t.size {0}, .-{0}\n"
                 "\t.popsection\n"
                 "\t.weak {2}\n"
                 "\t.pushsection .{3}.00001,\"awG\",@{3}," MODULE ",comdat\n"
                 "\t.p2align 3\n"
                 "\t.quad {0}\n"
                 "\t.popsection\n",
                 Name, Body, Callee, Array);
}

/// The module descriptor with what registers it, in one COMDAT group: a linked
/// module has them once.
static std::string moduleText(const SlotLayout &Layout) {
  std::string Descriptor = formatv(
      "\t.pushsection .rodata." MODULE ",\"aG\",@progbits," MODULE ",comdat\n"
      "\t.weak __start_" PATCHBAY_SITES_SECTION "\n"
      "\t.hidden __start_" PATCHBAY_SITES_SECTION "\n"
      "\t.weak __stop_" PATCHBAY_SITES_SECTION "\n"
      "\t.hidden __stop_" PATCHBAY_SITES_SECTION "\n"
      "\t.weak " MODULE "\n"
      "\t.hidden " MODULE "\n"
      "\t.p2align 3\n"
      "\t.type " MODULE ",@object\n" MODULE ":\n"
      "\t.long {0}, {1}\n"
      "\t.quad __start_" PATCHBAY_SITES_SECTION "-.\n"
      "\t.quad __stop_" PATCHBAY_SITES_SECTION "-.\n"
      "\t.size " MODULE ", {1}\n"
      "\t.popsection\n",
      PATCHBAY_ABI_VERSION, sizeof(patchbay_module));
  return Descriptor +
         moduleCallText(Layout, MODULE "_ctor", PATCHBAY_MODULE_REGISTER,
                        "init_array") +
         moduleCallText(Layout, MODULE "_dtor", PATCHBAY_MODULE_UNREGISTER,
                        "fini_array");
}

unsigned patchbay::emitSlot(MachineFunction &MF, const SlotLayout &Layout,
                            bool FirstInObject) {
  std::optional<uint32_t> Hash = takeHash(MF.getFunction());
  unsigned PrefixSize = emitPrefix(MF, Layout, Hash);

  MachineBasicBlock &Entry = entryBlock(MF);
  auto LandingPad = findLandingPad(Entry, Layout);
  bool HasLandingPad = LandingPad != Entry.end();
  unsigned EntryDistance = HasLandingPad ? Layout.LandingPadSize : 0;
  auto InsertPoint = HasLandingPad ? std::next(LandingPad) : Entry.begin();

  int ToPad = PATCHBAY_PAD_OFFSET - int(EntryDistance + Layout.SiteSize);
  // ${:private} and ${:uid} make a label that no other site has.
  constexpr StringLiteral Site = "${:private}patchbay_site${:uid}";
  std::string Text = Site.str() + ":\n";
  Text += formatv(Layout.Site.data(), ToPad & 0xFF);
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
