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
static constexpr char Module[] = "__patchbay_module";
static constexpr char OwnModule[] = ".Lpatchbay_module";

/// Function \p Name passes the descriptor to \p Callee and is an entry of
/// \p Array. Priority 1 makes it the earliest constructor and the latest
/// destructor, so that the program's own can be traced.
static std::string moduleCallText(const SlotLayout &Layout, StringRef Name,
                                  StringRef Callee, StringRef Array) {
  constexpr char Text[] = R"(
	.weak {2}
	.pushsection .text.startup.{0},"axG",@progbits,{0},comdat
	.p2align 4
	.type {1},@function
{1}:
{4}	.size {1}, .-{1}
	.popsection
	.pushsection .{3}.00001,"awG",@{3},{0},comdat
	.p2align 3
	.quad {1}
	.popsection
)";
  std::string Function = (Twine(Module) + "_" + Name).str();
  std::string Label = (Twine(OwnModule) + "_" + Name).str();
  std::string Body = formatv(/*Validate=*/false, Layout.ModuleCall.data(),
                             OwnModule, Module, Callee, Label, Function);
  return formatv(Text, Module, Function, Callee, Array, Body);
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
