// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Selection.h"
#include "Diagnostics.h"
#include "Program.h"
#include "elf/Bolt.h"
#include "elf/Unslotted.h"
#include "names/NameForms.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <set>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace patchbay;

namespace {
/// What was seen in the program and its libraries.
struct Seen {
  bool Records = false;
  std::string Stripped; // a file with records
  std::string Why; // why a file has nothing to trace, though it was to have
  // The same of each that is of another version of the ABI: the runtime leaves it alone.
  std::vector<std::string> OtherVersions;
  bool Root = false;  // a function of --under
  std::string NoType; // why arguments of a function are not known,
  size_t Untyped = 0; // and of how many
  std::string NoRoot; // one whose end cannot be seen
  bool Chosen = false; // a function that is to be traced, by -F or --args
  bool Left = false;   // one of these that -N does not take away
};
} // namespace

std::string patchbay::escapeOption(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (C == ',' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result;
}

// Of these no tracer sees the exit, so nobody would know what is beneath a call.
static constexpr uint8_t NoExit = PATCHBAY_RECORD_VARIADIC |
                                  PATCHBAY_RECORD_UNKNOWN_ARGS |
                                  PATCHBAY_RECORD_NORETURN;

static std::string whyNoRoot(const SiteRecord &R, StringRef Symbol) {
  return "--under: the end of a call of " + readableName(demangle(Symbol)) +
         " is not seen, as it " +
         (R.Raw.flags & PATCHBAY_RECORD_NORETURN ? "never returns"
          : R.Raw.flags & PATCHBAY_RECORD_VARIADIC
              ? "takes '...'"
              : "takes arguments in a way that is not known") +
         ": name a function that it calls";
}

static Error addFunctions(const ElfImage &Image, Wanted &W, Seen &What) {
  auto Version = Image.abiVersion();
  if (!Version)
    return Version.takeError();
  if (*Version != PATCHBAY_ABI_VERSION) {
    What.OtherVersions.push_back(toString(Image.otherVersion(*Version)));
    return Error::success();
  }
  auto Records = Image.records();
  if (!Records)
    return Records.takeError();
  if (Records->empty()) {
    auto Why = whyNoRecords(Image);
    if (!Why)
      return Why.takeError();
    if (!Why->empty())
      What.Why = *Why;
    return Error::success();
  }
  auto Unslotted = unslottedText(Image);
  if (!Unslotted)
    return Unslotted.takeError();
  if (!Unslotted->empty())
    warn(*Unslotted);
  auto Names = Image.symbolNames();
  if (!Names)
    return Names.takeError();
  const size_t All = Records->size();
  if (Error E = removeMoved(Image, *Names, *Records))
    return E;
  if (size_t Moved = All - Records->size()) {
    std::string Message = movedText(Image, *Names, Moved, All);
    if (Records->empty()) {
      What.Why = Message;
      return Error::success();
    }
    warn(Message);
  }
  What.Records = true;
  if (Names->stripped())
    What.Stripped = Image.path();
  for (const SiteRecord &R : *Records) {
    std::vector<StringRef> Symbols = Names->at(R.Entry);
    bool Chosen = false, TakenAway = false;
    for (Selection &S : W.Selections) {
      if (S.Globs.empty())
        continue; // which no function matches here
      NameFilter::Match Match = S.Filter.match(Symbols);
      if (Match == NameFilter::ByDemangledName)
        S.Symbols.insert(Symbols.front().str());
      if (S.Name == "under" && Match != NameFilter::None) {
        if (R.Raw.flags & NoExit)
          What.NoRoot = whyNoRoot(R, Symbols.empty() ? "" : Symbols.front());
        else
          What.Root = true;
      } else if (S.Name == "filter" || S.Name == "args" || S.Name == "notrace")
        (S.Name == "notrace" ? TakenAway : Chosen) |= Match != NameFilter::None;
    }
    auto IsTyped = W.Typed.add(Image, R, Symbols);
    if (!IsTyped) {
      // It may be one of many that a glob matches.
      std::string Why = toString(IsTyped.takeError());
      if (StringRef(Why).starts_with("--when"))
        return makeError(Usage, Why);
      if (!What.Untyped++)
        What.NoType = Why;
    } else {
      Chosen |= *IsTyped;
    }
    What.Chosen |= Chosen;
    What.Left |= Chosen && !TakenAway;
  }
  W.Typed.endImage();
  return Error::success();
}

// Where libpatchbay.a is linked in, functions register with that copy of the
// runtime. The tracer calls it too if the program exports it, and else the one
// in libpatchbay.so, which knows nothing of them.
static Error checkRuntime(const ElfImage &Program) {
  auto Names = Program.symbolNames();
  if (!Names)
    return Names.takeError();
  if (Names->defines(PATCHBAY_MODULE_REGISTER) &&
      !Names->exports("patchbay_arm"))
    return makeError(Twine(Program.path()) +
                     ": has a copy of the runtime (libpatchbay.a) that the "
                     "tracer cannot reach: link it with libpatchbay.so, or "
                     "with neither");
  return Error::success();
}

// For messages; -F and --args need no more than their globs.
static std::string optionFor(StringRef Name) {
  if (Name == "filter" || Name == "args")
    return "";
  std::string Option = ("--" + Name + " ").str();
  std::replace(Option.begin(), Option.end(), '_', '-');
  return Option;
}

// Why there is nothing to trace; empty if there is.
static std::string whyNothing(const Wanted &W, const Seen &What) {
  if (!What.Records && What.Why.empty() && !What.OtherVersions.empty())
    return What.OtherVersions.front();
  if (!What.Records)
    return What.Why.empty() ? noRecords() : What.Why;
  // What matches nothing is not to be traced, either.
  for (const Selection &S : W.Selections)
    if (std::string Unmatched = S.Filter.unmatched();
        !Unmatched.empty() && S.Name != "notrace")
      return "no function matches " + optionFor(S.Name) + Unmatched + ": " +
             S.Filter.hint(What.Stripped);
  if (What.Chosen && !What.Left)
    return W.Selections.front().Globs == std::vector<std::string>{"*"}
               ? "-N leaves out every function"
               : "-N leaves out every function that -F and --args select";
  if (!What.NoType.empty() && W.Typed.options().empty())
    return What.NoType;
  if (std::string Unmatched = W.Typed.unmatched(); !Unmatched.empty())
    return Unmatched;
  if (!What.NoRoot.empty() && !What.Root)
    return What.NoRoot;
  return "";
}

namespace {

/// Of a program of which several processes are recorded, and of a library that
/// they share, once. With a glob there may be hundreds.
class SaidOnce {
public:
  /// How many are not said, because there are too many; 0 if that was said
  /// before.
  size_t say(ArrayRef<std::string> Texts,
             function_ref<void(const std::string &)> Say) {
    static constexpr size_t Most = 10;
    size_t More = 0;
    for (const std::string &Text : Texts)
      if (Said.size() >= Most)
        More += !Said.count(Text);
      else if (Said.insert(Text).second)
        Say(Text);
    return More && !std::exchange(SaidMore, true) ? More : 0;
  }

private:
  std::set<std::string> Said;
  bool SaidMore = false;
};

} // namespace

static void sayLeftOut(const TypedArgs &Typed) {
  static SaidOnce LeftOut;
  if (size_t More = LeftOut.say(Typed.leftOut(), [](const std::string &Text) {
        warn("--args leaves out of " + Text);
      }))
    warn("--args leaves out arguments of " + utostr(More) +
         " more functions: who names one, as in --args 'parse(name)', is told "
         "why");
}

static void sayUnused(const TypedArgs &Typed) {
  static SaidOnce Unused;
  static constexpr char Anything[] =
      ": where the compiler saw both, a caller passes anything there, and what "
      "is recorded of it may be wrong";
  if (size_t More = Unused.say(Typed.unused(), [](const std::string &Text) {
        warn("--args: not used in " + Text + Anything);
      }))
    warn("--args: not used in " + utostr(More) + " more functions" + Anything);
}

// Fails if there is nothing to trace. What is not there is not traced, as was asked;
// but it may be misspelt.
static Error judge(const std::string &Where, const Wanted &W,
                   const Seen &What) {
  if (std::string Why = whyNothing(W, What); !Why.empty())
    return makeError(Where + Why + (W.OrElse.empty() ? "" : "; ") + W.OrElse);
  for (const std::string &Other : What.OtherVersions)
    warn(Where + Other + ": none of its functions is traced");
  if (!What.NoType.empty())
    warn(Where + What.NoType +
         (What.Untyped > 1
              ? "; " + utostr(What.Untyped - 1) + " more functions alike"
              : ""));
  sayLeftOut(W.Typed);
  sayUnused(W.Typed);
  if (!What.NoRoot.empty())
    warn(Where + What.NoRoot);
  for (const Selection &S : W.Selections)
    if (std::string Unmatched = S.Filter.unmatched(); !Unmatched.empty())
      warn(Where + "no function matches -N " + Unmatched + ": " +
           S.Filter.hint(What.Stripped));
  return Error::success();
}

Error patchbay::checkProgram(StringRef Path, const ElfImage &Program,
                             const ElfImage &Tracer, Wanted &W) {
  if (Error E = checkPreload(Program, Tracer))
    return E;
  auto Libraries = libraries(Program);
  if (!Libraries)
    return Libraries.takeError();

  Seen What;
  if (Error E = addFunctions(Program, W, What))
    return E;
  for (const std::string &LibraryPath : *Libraries) {
    auto Library = ElfImage::open(LibraryPath);
    if (!Library)
      return Library.takeError();
    if (Error E = addFunctions(*Library, W, What))
      return E;
  }

  if (Error E = checkRuntime(Program))
    return E;
  std::string Where = Path.str();
  if (Path != Program.path())
    Where += ": its interpreter " + Program.path();
  return judge(Where + " and the libraries it needs: ", W, What);
}

Error patchbay::checkMapped(const ProcessMemory &Memory, Wanted &W) {
  std::set<std::string> Known;
  Seen What;
  for (const ProcessMemory::Mapping &M : Memory.mappings()) {
    if (!M.Executable || !StringRef(M.Path).starts_with("/") ||
        !Known.insert(M.Path).second)
      continue;
    int File = Memory.openFile(M);
    if (File < 0) {
      warn("process " + Twine(Memory.pid()) + ": " + M.Path +
           " was replaced or removed: its functions are traced by their mangled "
           "names, if at all");
      continue;
    }
    auto Image = ElfImage::read(File, M.Path);
    close(File);
    // What cannot be made sense of is not for the runtime, either.
    if (!Image) {
      consumeError(Image.takeError());
      continue;
    }
    if (Error E = addFunctions(*Image, W, What))
      return E;
    if (Known.size() == 1)
      if (Error E = checkRuntime(*Image))
        return E;
  }
  return judge("process " + utostr(Memory.pid()) + ": ", W, What);
}
