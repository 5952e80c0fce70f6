// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Unslotted.h"
#include "support/PlainText.h"

using namespace llvm;
using namespace patchbay;

Expected<std::string> patchbay::unslottedText(const ElfImage &Image) {
  auto Sources = Image.sourcesWithoutSlots();
  if (!Sources)
    return Sources.takeError();
  if (Sources->empty())
    return std::string();
  std::string More;
  if (size_t N = Sources->size() - 1)
    More = " and " + counted(N, "more source file");
  return (Twine(Image.path()) + ": code of " + Sources->front() + More +
          " has no slots: it was compiled to bitcode with the plugin, and to "
          "code without it: link with Patchbay's ld.lld and "
          "-Wl,--load-pass-plugin=DIR/patchbay-pass.so")
      .str();
}

Expected<std::string> patchbay::whyNoRecords(const ElfImage &Image) {
  auto Unslotted = unslottedText(Image);
  if (!Unslotted || !Unslotted->empty())
    return Unslotted;
  auto Modes = Image.modes();
  if (!Modes)
    return Modes.takeError();
  if (!(*Modes & (1u << PATCHBAY_MODE_KERNEL)))
    return std::string();
  return Image.path() +
         ": compiled with -fpatchable-function-entry=, so in kernel mode, where "
         "the entries belong to Linux's ftrace: for 'patchbay record' compile "
         "without that option";
}
