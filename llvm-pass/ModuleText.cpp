// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModuleText.h"
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

// The descriptor, which also names the COMDAT group of all that belongs to it;
// and this object's own copy. Linkers do not look at the groups of what LTO
// compiled, so a module may keep several copies. The one that the weak symbol
// names registers, the others see that they are not it.
static constexpr char ModuleSymbol[] = "__patchbay_module";
static constexpr char OwnModule[] = ".Lpatchbay_module";

// The fields of this copy's links and state. Trampolines know their own label
// and the table's (../runtime/core/arch/x86_64/own.h).
static constexpr char Links[] = ".Lpatchbay_links";
static constexpr char RegisterSymbol[] = ".Lpatchbay_links_register";
static constexpr char UnregisterSymbol[] = ".Lpatchbay_links_unregister";
static constexpr char Trampolines[] = ".Lpatchbay_links_trampolines";
static constexpr char Table[] = ".Lpatchbay_links_table";
static constexpr char State[] = ".Lpatchbay_state";
static constexpr char Constructed[] = ".Lpatchbay_state_constructed";
static constexpr char Late[] = ".Lpatchbay_state_late";
static constexpr char Offered[] = ".Lpatchbay_state_offered";

// This copy's stubs, and where they lead in a module that no runtime knows.
static constexpr char Stubs[] = ".Lpatchbay_stubs";
static constexpr char Inert[] = ".Lpatchbay_inert";

namespace {
/// What a constructor and a destructor do not have in common.
struct Event {
  StringRef Name, Callee, LateCallee, Array, Constructed;
  std::string Choose;
};
} // namespace

static std::string labelOf(StringRef Name) {
  return (Twine(OwnModule) + "_" + Name).str();
}

/// A function that passes the descriptor to the runtime, and is an entry of an
/// array. Priority 1 makes it the earliest constructor and the latest
/// destructor, so that the program's own can be traced.
static std::string moduleCallText(const SlotLayout &Layout, const Event &E) {
  constexpr char Text[] = R"(
	.weak {2}
	.pushsection .text.startup.{0},"axG",@progbits,{0},comdat
	.p2align 4{5}
	.type {1},@function
{1}:
{4}	.size {1}, .-{1}
	.popsection
	.pushsection .{3}.00001,"awG",@{3},{0},comdat
	.p2align 3
	.quad {1}
	.popsection
)";
  std::string Function = (Twine(ModuleSymbol) + "_" + E.Name).str();
  std::string Body =
      formatv(/*Validate=*/false, Layout.ModuleCall.data(), OwnModule,
              ModuleSymbol, E.Callee, labelOf(E.Name), Function, Constructed,
              E.Constructed, E.LateCallee, E.Choose);
  // Assemblers choose nops by processor, so each would fill the gap with
  // others.
  std::string Fill;
  if (Layout.FillByte)
    Fill = formatv(", {0}", unsigned(Layout.FillByte));
  return formatv(Text, ModuleSymbol, Function, E.Callee, E.Array, Body, Fill);
}

/// How to choose between the weak function and the late one, which is there if
/// the byte \p Flag is 1. The constructor has said before that it has run, and
/// the runtime, having set the flag, asks whether it has: with a full barrier
/// on either side at least one sees the other. Whichever is second registers
/// the module.
static std::string chooseText(StringLiteral Text, StringRef Name,
                              StringRef Flag) {
  return formatv(/*Validate=*/false, Text.data(), labelOf(Name) + "_call",
                 Flag);
}

static std::string descriptorText(const SlotLayout &Layout) {
  constexpr char Text[] = R"(
	.weak {0}, __start_{2}, __stop_{2}
	.hidden {0}, __start_{2}, __stop_{2}
	.pushsection .rodata.{0},"aG",@progbits,{0},comdat
	.p2align 3
	.type {0},@object
{0}:
{1}:
	.long {3}, {4}
	.quad __start_{2}-.
	.quad __stop_{2}-.
	.quad {5}-.
	.quad {6}-.
	.quad {7}
	.quad 0
	.quad {8}
	.size {0}, {4}
	.popsection
)";
  std::string ToStubs = "0";
  if (Layout.NumStubs)
    ToStubs = (Layout.StubsSymbol + "-.").str();
  return formatv(Text, ModuleSymbol, OwnModule, PATCHBAY_SITES_SECTION,
                 PATCHBAY_ABI_VERSION, sizeof(patchbay_module), Links, State,
                 ToStubs, Layout.TrampolinesLayout);
}

/// What the descriptor leads to that is not read-only; see abi.h.
static std::string linksAndStateText(const SlotLayout &Layout) {
  static_assert(offsetof(patchbay_links, module_unregister) == 8 &&
                    PATCHBAY_X86_64_TRAMPOLINES_OFFSET == 16 &&
                    PATCHBAY_X86_64_TABLE_OFFSET ==
                        16 + 8 * PATCHBAY_X86_64_NR_STUBS &&
                    offsetof(patchbay_state, constructed) == 8 &&
                    offsetof(patchbay_state, late) == 9 &&
                    offsetof(patchbay_state, offered) == 10,
                "what the text below has");
  constexpr char Text[] = R"(
	.pushsection .data.rel.ro.{0},"awG",@progbits,{0},comdat
	.p2align 3
{1}:
{2}:
	.quad 0
{3}:
	.quad 0
{4}:
{8}	.popsection
	.pushsection .bss.{0},"awG",@nobits,{0},comdat
	.p2align 3
{5}:
	.zero 8
{6}:
	.zero 1
{7}:
	.zero 1
{10}:
	.zero {9}
	.popsection
)";
  std::string Addresses;
  for (unsigned I = 0; I != Layout.NumStubs; ++I)
    Addresses += formatv("\t.quad {0}\n", Inert);
  if (Layout.TableSize)
    Addresses += formatv("{0}:\n\t.zero {1}\n", Table, Layout.TableSize);
  return formatv(Text, ModuleSymbol, Links, RegisterSymbol, UnregisterSymbol,
                 Trampolines, State, Constructed, Late, Addresses,
                 sizeof(patchbay_state) - offsetof(patchbay_state, offered),
                 Offered);
}

static std::string noteText() {
  constexpr char Text[] = R"(
	.pushsection {1},"aG",@note,{0},comdat
	.p2align 2
	.long {2}, {3}, {4}
	.asciz "{5}"
	.p2align 2
	.long {6}
	.long {0}-.
	.popsection
)";
  return formatv(Text, ModuleSymbol, PATCHBAY_MODULE_NOTE_SECTION,
                 sizeof(PATCHBAY_NOTE_NAME), sizeof(patchbay_module_note),
                 PATCHBAY_NOTE_MODULE, PATCHBAY_NOTE_NAME,
                 PATCHBAY_ABI_VERSION);
}

static std::string stubsText(const SlotLayout &Layout) {
  constexpr char Text[] = R"(
	.weak {1}
	.hidden {1}
	.pushsection .text.{0},"axG",@progbits,{0},comdat
	.p2align 6
	.type {1},@function
{1}:
{2}:
	.cfi_startproc
{3}	.cfi_endproc
	.size {1}, .-{1}
	.popsection
)";
  if (!Layout.NumStubs)
    return std::string();
  std::string Body =
      formatv(/*Validate=*/false, Layout.Stubs.data(), Trampolines, Inert);
  Body += Layout.Trampolines;
  return formatv(Text, ModuleSymbol, Layout.StubsSymbol, Stubs, Body);
}

std::string patchbay::moduleText(const SlotLayout &Layout) {
  const Event Constructor = {
      "ctor",
      PATCHBAY_MODULE_REGISTER,
      RegisterSymbol,
      "init_array",
      "1",
      chooseText(Layout.ChooseInConstructor, "ctor", Offered)};
  const Event Destructor = {
      "dtor",
      PATCHBAY_MODULE_UNREGISTER,
      UnregisterSymbol,
      "fini_array",
      "0",
      chooseText(Layout.ChooseInDestructor, "dtor", Late)};
  return descriptorText(Layout) + linksAndStateText(Layout) + noteText() +
         stubsText(Layout) + moduleCallText(Layout, Constructor) +
         moduleCallText(Layout, Destructor);
}
