// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay verify`: checks linked images against the ABI.
#include "Verb.h"
#include "elf/Bolt.h"
#include "verifying/Checks.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("verify", "Check binaries against the ABI");
static StringsOption Inputs(Options, "", "BIN...", "");

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay verify ./server
  patchbay verify ./server lib/*.so

DESCRIPTION:
  'verify' checks executables and shared objects against the ABI. It reads BIN
  and does not run it. It checks
    - the record, slot, pad, hash and site of each function with a record
    - the data that leads the runtime to the records
    - in kernel mode, the slots in LLVM's tables of patchable entries

  Each fault is one line. The last line has the counts.
    BIN: FUNCTION+0xOFFSET: what is wrong: expected X, found Y

NOTES:
  A function has no symbol if another definition took its name, as for a weak
  one, or if the linker discarded local symbols.

  llvm-bolt moves functions away from where their records point. Each moved
  function is a fault; one line on stderr counts them.

  A linker without the plugin generates code without slots. That is no fault: a
  warning names the source files, which it reads from the bitcode.

EXIT CODES:
  0  there are no faults
  1  there are faults, even if llvm-bolt made them; or a BIN cannot be read, is
     malformed, is not linked, or has another ABI version
  2  wrong usage
  3  a BIN has neither records nor slots; there are no faults in the others
)";

namespace {
struct Totals {
  unsigned Functions = 0;
  unsigned Nameless = 0;
  unsigned Faults = 0;
};
} // namespace

static Error verify(StringRef Path, Totals &Sum) {
  Expected<ElfImage> Image = ElfImage::open(Path);
  if (!Image)
    return Image.takeError();
  if (!Image->isLinked())
    return Image->error("not a linked image: an object file has no addresses "
                        "yet, so link it first");
  auto Records = Image->records();
  if (!Records)
    return Records.takeError();
  auto View = ImageView::create(*Image);
  if (!View)
    return View.takeError();

  Findings Out(Path);
  if (Error E = checkModule(*View, Out))
    return E;
  checkUnique(*View, *Records, Out);
  const size_t All = Records->size();
  if (Error E = removeMoved(*Image, View->functions(), *Records))
    return E;
  const size_t Moved = All - Records->size();
  for (const SiteRecord &R : *Records)
    checkRecord(*View, R, Out);
  auto Slots = checkEntryTables(*View, All, Out);
  if (!Slots)
    return Slots.takeError();
  auto Unslotted = unslottedText(*Image);
  if (!Unslotted)
    return Unslotted.takeError();
  if (!All && !*Slots && !Unslotted->empty())
    return makeError(NothingFound, *Unslotted);
  if (!Unslotted->empty())
    warn(*Unslotted);
  if (!All && !*Slots) {
    Expected<uint32_t> Modes = Image->modes();
    if (!Modes)
      return Modes.takeError();
    return makeError(NothingFound,
                     Twine(Path) + ": " +
                         (*Modes & (1u << PATCHBAY_MODE_KERNEL)
                              ? "compiled in kernel mode, which has no records,"
                                " and it has no __patchable_function_entries "
                                "that points to a slot"
                              : noRecords()));
  }

  Sum.Functions += All + *Slots;
  Sum.Faults += Out.count() + Moved;
  if (!View->functions().stripped())
    Sum.Nameless += count_if(*Records, [&](const SiteRecord &R) {
      return View->functions().symbolsAt(R.Entry).empty();
    });
  if (Moved)
    return makeError(movedText(*Image, View->functions(), Moved, All));
  if (Out.count()) {
    auto Rewritten = isWrittenByBolt(*Image);
    if (!Rewritten)
      return Rewritten.takeError();
    if (*Rewritten)
      warn(Twine(Path) + ": was rewritten by llvm-bolt");
  }
  return Error::success();
}

static Expected<int> runVerify(ArrayRef<const char *>) {
  Totals Sum;
  int Code = Success;
  for (const std::string &Path : Inputs)
    if (Error E = verify(Path, Sum)) {
      int Failed = report(std::move(E));
      Code = Code == Failure ? Failure : Failed;
    }
  if (Sum.Functions) {
    outs() << Sum.Functions << " functions verified, " << Sum.Faults
           << " faults";
    if (Sum.Nameless)
      outs() << ", " << Sum.Nameless << " without a symbol";
    outs() << '\n';
  }
  return Sum.Faults ? Failure : Code;
}

const Verb patchbay::VerifyVerb = {Options, Help, runVerify};
