// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports LTO code without slots. With LTO the linker generates code, so the
// linker must load the plugin. Code that was generated without the plugin has
// no slots: the program works, but cannot be traced. Two kinds of notes show
// that the user wanted slots:
//
// - A compiler that loads the plugin with -fpass-plugin= puts a note into
//   bitcode. Code generation with the plugin removes the note. Code generation
//   without the plugin emits the note, in this link or in an earlier link (-r).
// - If there is no such note, ABI notes show that other object files of the
//   link were compiled with the plugin.
//
// The linker only warns, because a program may mix code with and without slots.
// For bitcode compiled with -patchbay-require the linker reports an error.
//===----------------------------------------------------------------------===//

#include "Config.h"
#include "InputFiles.h"
#include "LtoCache.h"
#include "PatchbayNotes.h"
#include "Target.h"
#include "patchbay/abi.h"

using namespace llvm;
using namespace lld;
using namespace lld::elf;

static constexpr char whatToDo[] =
    "; add --load-pass-plugin=patchbay-pass.so (and -mllvm -patchbay-disable "
    "for code without slots)";

static std::string andMore(size_t more, StringRef what) {
  return more ? (" and " + Twine(more) + " more " + what + (more > 1 ? "s" : ""))
                    .str()
              : "";
}

// Report the source files that the notes name. The message's location is the
// first object with a note: one that LTO made, or an input.
static bool reportNotes(Ctx &ctx) {
  const InputFile *file = nullptr;
  StringRef source;
  size_t count = 0;
  bool required = false;
  for (const InputSectionBase *sec :
       findNotes(ctx, PATCHBAY_BITCODE_NOTE_SECTION)) {
    auto read = [&](ArrayRef<uint8_t> desc) {
      required |=
          read32(ctx, desc.data() + offsetof(patchbay_bitcode_note, flags)) &
          PATCHBAY_BITCODE_REQUIRED;
      if (count++)
        return;
      file = sec->file;
      source = toStringRef(desc.drop_front(sizeof(patchbay_bitcode_note)))
                   .take_until([](char c) { return c == '\0'; });
    };
    if (!forEachNote(ctx, sec, PATCHBAY_NOTE_BITCODE,
                     sizeof(patchbay_bitcode_note), read))
      Err(ctx) << sec->getObjMsg(0) << ": malformed Patchbay bitcode note";
  }
  if (!count)
    return false;
  (required ? Err(ctx) : Warn(ctx))
      << file << ": code of " << source << andMore(count - 1, "source file")
      << " has no slots: it was compiled to bitcode with the Patchbay plugin, "
         "but to code without it"
      << whatToDo;
  return true;
}

void elf::checkGeneratedCode(Ctx &ctx) {
  if (reportNotes(ctx) || ctx.bitcodeFiles.empty() || usesPassPlugin(ctx))
    return;
  auto instrumented = findNotes(ctx, PATCHBAY_NOTE_SECTION);
  if (!instrumented.empty())
    Warn(ctx) << ctx.bitcodeFiles[0]
              << andMore(ctx.bitcodeFiles.size() - 1, "bitcode file")
              << ": no function has a slot, unlike functions of "
              << instrumented[0]->file << whatToDo;
}
