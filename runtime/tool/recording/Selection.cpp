// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Selection.h"
#include "Program.h"
#include "elf/Bolt.h"
#include "names/FunctionNames.h"
#include "names/NameForms.h"
#include "patchbay/exit.h"
#include "showing/Losses.h"
#include "support/Diagnostics.h"
#include "support/PlainText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace patchbay;

namespace {
/// Results of searching the program and its libraries.
struct Seen {
  bool Records = false;
  std::string Stripped; // a file with records, but without a symbol table
  std::vector<std::string> Files; // files with records
  std::string Why; // why a file that was compiled for tracing has nothing to trace
  // Like Why, for files that the runtime ignores: files of other ABI versions, and files
  // with unreadable code.
  std::vector<std::string> LeftAlone;
  bool Root = false;  // was a function of --under found?
  std::string NoType; // why the arguments of a function are unknown
  size_t Untyped = 0; // number of functions with unknown arguments
  std::string NoRoot; // message about a function of --under whose exit tracers do not see
  bool Chosen = false; // does -F or --args select a function?
  bool Left = false;   // does -N leave at least one of the selected functions?
};
} // namespace

static std::string whyNoRoot(const SiteRecord &R, StringRef Symbol) {
  return "--under: the end of a call of " + readableName(demangle(Symbol)) +
         " cannot be traced, because it " +
         (R.Raw.flags & PATCHBAY_RECORD_NORETURN ? "never returns"
          : R.Raw.flags & PATCHBAY_RECORD_VARIADIC
              ? "takes '...'"
          : R.Raw.flags & PATCHBAY_RECORD_MUSTTAIL
              ? "ends in a guaranteed tail call"
              : "has unknown arguments") +
         ": name a function that it calls";
}

// Are functions selected by name?
static bool hasNames(const Wanted &W) {
  return !W.Typed.Requests.empty() ||
         any_of(W.Selections, [](const Selection &S) {
           return any_of(S.Globs, [](const std::string &G) { return G != "*"; });
         });
}

// Adds symbols of functions whose names the runtime cannot match itself.
static NameFilter::Match select(Selection &S, const ElfImage &Image,
                                const FunctionNames &Names, uint64_t Entry) {
  std::vector<StringRef> Own = Names.own().at(Entry);
  NameFilter::Match Match = S.Filter.match(Own);
  if (Match == NameFilter::ByDemangledName)
    S.Symbols.insert(Own.front().str());
  if (Match != NameFilter::None || &Names.known() == &Names.own())
    return Match;
  Match = S.Filter.match(Names.at(Entry));
  if (Match != NameFilter::None)
    S.Symbols.insert(Names.nameForRuntime(Image, Entry));
  return Match;
}

// Trampolines read the slots of functions, and slots are in the code.
static std::string executeOnlyText(const Twine &Path) {
  return (Path + ": its code is execute-only (PROT_EXEC without PROT_READ), and the "
                 "runtime must read it: link it without --execute-only, and do not "
                 "change it by mprotect()")
      .str();
}

// Is the code at this address in a segment that cannot be read?
static Expected<bool> isExecuteOnly(const ElfImage &Image, uint64_t Address) {
  auto Headers = Image.elf().program_headers();
  if (!Headers)
    return Image.error(Headers.takeError());
  return any_of(*Headers, [&](const ElfImage::ELFT::Phdr &P) {
    return P.p_type == ELF::PT_LOAD && P.p_flags & ELF::PF_X &&
           !(P.p_flags & ELF::PF_R) && Address - P.p_vaddr < P.p_memsz;
  });
}

static Error addFunctions(const ElfImage &Image, Wanted &W, Seen &What,
                          bool IsReadable = true) {
  auto Version = Image.abiVersion();
  if (!Version)
    return Version.takeError();
  if (*Version != PATCHBAY_ABI_VERSION) {
    What.LeftAlone.push_back(toString(Image.otherVersion(*Version)));
    return Error::success();
  }
  auto Found = TraceableFunctions::read(
      Image, hasNames(W) ? W.Roots : std::vector<std::string>());
  if (!Found)
    return Found.takeError();
  auto &[Records, Names, WhyNone, Warnings] = *Found;
  if (!Records.empty()) {
    auto IsUnreadable = isExecuteOnly(Image, Records.front().Entry);
    if (!IsUnreadable)
      return IsUnreadable.takeError();
    if (*IsUnreadable || !IsReadable) {
      What.LeftAlone.push_back(executeOnlyText(Image.path()));
      return Error::success();
    }
  }
  const size_t Known = Records.size();
  erase_if(Records, [](const SiteRecord &R) { return !R.Described; });
  if (size_t Lost = Known - Records.size())
    (Records.empty() ? WhyNone : Warnings.emplace_back()) =
        Image.path() + ": " + counted(Lost, "function") +
        " cannot be traced: no module descriptor points to the records, as after "
        "objcopy --prefix-symbols: rename symbols in the source instead";
  for (const std::string &Warning : Warnings)
    warn(Warning);
  if (Records.empty()) {
    if (!WhyNone.empty())
      What.Why = WhyNone;
    return Error::success();
  }
  What.Records = true;
  What.Files.push_back(Image.path());
  if (Names.stripped())
    What.Stripped = Image.path();
  for (const SiteRecord &R : Records) {
    std::vector<StringRef> Symbols = Names.at(R.Entry);
    bool Chosen = false, TakenAway = false;
    for (Selection &S : W.Selections) {
      if (S.Globs.empty())
        continue; // a request of --args matches no function in this image
      NameFilter::Match Match = select(S, Image, Names, R.Entry);
      if (S.Name == "under" && Match != NameFilter::None) {
        if (R.Raw.flags & PATCHBAY_RECORD_NO_EXIT)
          What.NoRoot = whyNoRoot(R, Symbols.empty() ? "" : Symbols.front());
        else
          What.Root = true;
      } else if (S.Name == "filter" || S.Name == "args" || S.Name == "notrace")
        (S.Name == "notrace" ? TakenAway : Chosen) |= Match != NameFilter::None;
    }
    auto IsTyped = W.Typed.add(Image, R, Symbols, Names.nameForRuntime(Image, R.Entry));
    if (!IsTyped) {
      // Do not fail: a glob may match other functions that have the arguments.
      std::string Why = toString(IsTyped.takeError());
      if (StringRef(Why).starts_with("--when"))
        return makeError(Usage, Why);
      if (!What.Untyped++)
        What.NoType = Why;
    } else if (*IsTyped) {
      Chosen = true;
    } else {
      W.Typed.addMark(Image, R, Symbols, Names.nameForRuntime(Image, R.Entry));
    }
    What.Chosen |= Chosen;
    What.Left |= Chosen && !TakenAway;
  }
  W.Typed.endImage();
  return Error::success();
}

// Reads the arguments of functions in a library that the program may load later. The
// runtime cannot read debug information.
static Error addLoadable(const std::string &Path, Wanted &W, Seen &What) {
  auto Image = ElfImage::open(Path);
  if (!Image)
    return Image.takeError();
  auto Records = Image->records();
  if (!Records)
    return Records.takeError();
  if (Records->empty())
    return Error::success();
  auto Names = FunctionNames::read(*Image, W.Roots);
  if (!Names)
    return Names.takeError();
  for (const SiteRecord &R : *Records) {
    auto IsTyped = W.Typed.add(*Image, R, Names->at(R.Entry),
                               Names->nameForRuntime(*Image, R.Entry));
    if (!IsTyped)
      return IsTyped.takeError();
    What.Chosen |= *IsTyped;
    What.Left |= *IsTyped;
  }
  return Error::success();
}

// Fails if libpatchbay.a is linked into the program, but the program does not export it:
// functions register with the linked copy of the runtime, and the tracer would use
// libpatchbay.so, which does not know these functions.
static Error checkRuntime(const ElfImage &Program) {
  auto Names = Program.symbolNames();
  if (!Names)
    return Names.takeError();
  if (Names->defines(PATCHBAY_MODULE_REGISTER) &&
      !Names->exports("patchbay_arm"))
    return makeError(Twine(Program.path()) +
                     ": has a copy of the runtime (libpatchbay.a) that the "
                     "tracer cannot reach: link it with libpatchbay.so, or "
                     "without a runtime");
  return Error::success();
}

// The option's name in messages; empty for -F and --args, where the globs suffice.
static std::string optionFor(StringRef Name) {
  if (Name == "filter" || Name == "args")
    return "";
  std::string Option = ("--" + Name + " ").str();
  std::replace(Option.begin(), Option.end(), '_', '-');
  return Option;
}

// If debug information says that a function was inlined, tells where. Otherwise empty.
static std::string inlinedText(const Wanted &W, const Seen &What,
                               ArrayRef<std::string> Globs) {
  for (const std::string &File : What.Files) {
    auto Image = expectedToOptional(ElfImage::open(File));
    if (!Image)
      continue;
    auto Functions = DwarfFunctions::open(*Image, W.Roots);
    if (!Functions)
      consumeError(Functions.takeError());
    else if (std::string Text = (*Functions)->inlinedText(Globs); !Text.empty())
      return Text;
  }
  return "";
}

// Why no function can be traced; empty if at least one function can.
static std::string whyNothing(const Wanted &W, const Seen &What) {
  if (!What.Records && What.Why.empty() && !What.LeftAlone.empty())
    return What.LeftAlone.front();
  if (!What.Records)
    return What.Why.empty() ? noRecords() : What.Why;
  // --notrace is optional: it has no effect if its globs match nothing.
  for (const Selection &S : W.Selections)
    if (std::string Unmatched = S.Filter.unmatched();
        !Unmatched.empty() && S.Name != "notrace") {
      std::string Inlined = inlinedText(W, What, S.Filter.unmatchedGlobs());
      return "no function matches " + optionFor(S.Name) + Unmatched + ": " +
             (Inlined.empty() ? S.Filter.hint(What.Stripped) : Inlined);
    }
  if (What.Chosen && !What.Left)
    return W.Selections.front().Globs == std::vector<std::string>{"*"}
               ? "-N excludes every function"
               : "-N excludes every function that -F and --args select";
  if (!What.NoType.empty() && W.Typed.options().empty())
    return What.NoType;
  if (std::string Unmatched = W.Typed.unmatched(); !Unmatched.empty())
    return Unmatched;
  if (!What.NoRoot.empty() && !What.Root)
    return What.NoRoot;
  return "";
}

namespace {

/// Prints each message only once, even if several processes of a program or shared
/// libraries cause it. Limits the number of messages, since a glob may cause hundreds.
class SaidOnce {
public:
  /// Prints new messages, up to the limit. Returns the number of messages beyond the
  /// limit.
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
         " more functions: to see why, name one, as in --args 'parse(name)'");
}

static void sayUnused(const TypedArgs &Typed) {
  static SaidOnce Unused;
  if (size_t More = Unused.say(Typed.unused(), [](const std::string &Text) { warn(Text); }))
    warn("--args: not used in " + utostr(More) +
         " more functions: the compiler may pass any value, so recorded values may be wrong");
}

// Fails if no function can be traced. Warns about names without a function, which the user
// may have misspelt.
static Error judge(const std::string &Where, const Wanted &W,
                   const Seen &What) {
  if (std::string Why = whyNothing(W, What); !Why.empty())
    return makeError(Where + Why + (W.OrElse.empty() ? "" : "; ") + W.OrElse);
  for (const std::string &Other : What.LeftAlone)
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

  if (!W.Typed.unmatchedRequests().empty())
    for (const std::string &Loadable :
         loadableLibraries(Program, *Libraries, W.Arguments)) {
      // Ignore errors: the program may never load the file.
      consumeError(addLoadable(Loadable, W, What));
      W.Typed.endImage();
    }

  if (Error E = checkRuntime(Program))
    return E;
  std::string Where = Path.str();
  if (Path != Program.path())
    Where += ": its interpreter " + Program.path();
  return judge(Where + " and the libraries it needs: ", W, What);
}

Error patchbay::checkMapped(const ProcessMemory &Memory, Wanted &W) {
  Seen What;
  W.Roots.insert(W.Roots.begin(), "/proc/" + utostr(Memory.pid()) + "/root");
  W.Typed.Roots = W.Roots;
  const auto Files = Memory.codeOfFiles();
  for (const ProcessMemory::Mapping *M : Files) {
    const Descriptor File = Memory.openFile(*M);
    if (File < 0) {
      warn("process " + Twine(Memory.pid()) + ": " + M->Path +
           " was replaced or removed: its functions can be selected by mangled names only");
      continue;
    }
    // Ignore files that cannot be parsed, since the runtime cannot use them either.
    auto Image = expectedToOptional(ElfImage::read(File, M->Path));
    if (!Image)
      continue;
    if (Error E = addFunctions(*Image, W, What, M->Readable))
      return E;
    if (M == Files.front())
      if (Error E = checkRuntime(*Image))
        return E;
  }
  return judge("process " + utostr(Memory.pid()) + ": ", W, What);
}
