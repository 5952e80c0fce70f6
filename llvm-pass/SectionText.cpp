// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SectionText.h"
#include "Arguments.h"
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

/// Addresses are differences of local labels, so neither an interposed symbol
/// nor position-independent code needs a dynamic relocation. Link order ties
/// the record to the function's section, `?` to its COMDAT group if any.
std::string patchbay::recordText(StringRef Site, unsigned EntryDistance,
                                 uint32_t Signature,
                                 const ArgumentSummary &Args) {
  constexpr char Text[] = R"(
	.pushsection {0},"ao?",@progbits,{1}
	.p2align 2
	.long {1}-{2}-.
	.long {1}-.
	.long {3}
	.byte {4}, {5}, {6}, {7}
	.popsection
)";
  return formatv(Text, PATCHBAY_SITES_SECTION, Site, EntryDistance, Signature,
                 Args.GPArgs, Args.FPArgs, Args.StackArgWords, Args.Flags);
}

/// Its readers are linkers and tools, which read files, so it is not part of
/// the loaded image.
std::string patchbay::noteText() {
  constexpr char Text[] = R"(
	.pushsection {0},"",@note
	.p2align 2
	.long {1}, {2}, {3}
	.asciz "{4}"
	.p2align 2
	.long {5}, {6}
	.popsection
)";
  return formatv(Text, PATCHBAY_NOTE_SECTION, sizeof(PATCHBAY_NOTE_NAME),
                 sizeof(patchbay_note), PATCHBAY_NOTE_ABI, PATCHBAY_NOTE_NAME,
                 PATCHBAY_ABI_VERSION, PATCHBAY_MODE_USER);
}

// The descriptor, which also names the COMDAT group of all that belongs to it;
// and this object's own copy. Linkers do not look at the groups of what LTO
// compiled, so a module may keep several copies. The one that the weak symbol
// names registers, the others see that they are not it.
static constexpr char Module[] = "__patchbay_module";
static constexpr char OwnModule[] = "${:private}patchbay_module";

/// Function \p Name passes the descriptor to \p Callee and is an entry of
/// \p Array. Priority 1 makes it the earliest constructor and the latest
/// destructor, so that the program's own can be traced.
static std::string moduleCallText(const SlotLayout &Layout, StringRef Name,
                                  StringRef Callee, StringRef Array) {
  constexpr char Text[] = R"(
	.weak {2}
	.pushsection .text.startup.{0},"axG",@progbits,{0},comdat
	.p2align 4
	.type {0}_{1},@function
{0}_{1}:
{4}	.size {0}_{1}, .-{0}_{1}
	.popsection
	.pushsection .{3}.00001,"awG",@{3},{0},comdat
	.p2align 3
	.quad {0}_{1}
	.popsection
)";
  std::string Return = ("${:private}patchbay_module_" + Name).str();
  std::string Body =
      formatv(Layout.ModuleCall.data(), OwnModule, Module, Callee, Return);
  return formatv(Text, Module, Name, Callee, Array, Body);
}

std::string patchbay::moduleText(const SlotLayout &Layout) {
  constexpr char Descriptor[] = R"(
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
	.size {0}, {4}
	.popsection
)";
  std::string Text =
      formatv(Descriptor, Module, OwnModule, PATCHBAY_SITES_SECTION,
              PATCHBAY_ABI_VERSION, sizeof(patchbay_module));
  Text +=
      moduleCallText(Layout, "ctor", PATCHBAY_MODULE_REGISTER, "init_array");
  Text +=
      moduleCallText(Layout, "dtor", PATCHBAY_MODULE_UNREGISTER, "fini_array");
  return Text;
}
