// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay list`: shows the functions that have a record in a binary or a process.
#include "Verb.h"
#include "arguments/DwarfFunctions.h"
#include "elf/Bolt.h"
#include "names/FunctionNames.h"
#include "patchbay/exit.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("list", "Show the functions that can be traced in a binary or process");
static StringOption Input(Options, "", "[BIN]", "");
static NumberOption Live(Options, "live,p", "PID",
                         "Show the functions and tracers of a running process");
static StringsOption Globs(Options, "F,filter", "GLOB",
                           "Show only functions matching GLOB (repeatable)");
static StringsOption NoShow(Options, "N,notrace", "GLOB",
                            "Exclude functions matching GLOB (repeatable)");
static FlagOption Inlined(Options, "inlined",
                          "Show inlined functions, whose inlined copies cannot be traced");
static FlagOption Json(Options, "json", "Print JSON");
static DisplayOptions Display(Options, /*WithPager=*/true, /*WithNames=*/true);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay list ./server
  patchbay list -F 'http_*' -F 'Cache::*' ./server
  patchbay list --json libz.so | jq -r '.functions[].name'
  patchbay list -p 4711 | grep ' armed '

DESCRIPTION:
  'list' shows the functions of a file that can be traced. With -p it shows the
  functions of a running process and their tracers. The process keeps running.

  GLOB matches mangled and demangled names, with or without parameters. Names
  are shortened as in 'patchbay report'; --full-names and --json show full
  names. --json shows all names of a function. Source lines and --inlined need
  debug information (-g).

  The names of a stripped file come from its debug file: see 'archive --help'.

COLUMNS:
  entry    address of the function in the file
  hash     kCFI type ID that callers check; - if the function has none
  int, fp  arguments in integer and floating-point registers; ? if unknown to
           the compiler
  stack    8-byte words of arguments on the stack; ? if unknown
  returns  void, int, fp, or other (both, vectors, memory)
  flags    sret, variadic, noreturn, musttail
  source   file and line of the function, if known; with 100 columns or more

COLUMNS OF INLINED FUNCTIONS:
  places   number of places into which the function was inlined
  into     the first of these: caller, file and line

COLUMNS OF A PROCESS:
  entry    address of the function in the process
  state    armed, disarmed, or why the function cannot be armed
  tracers  handlers in the order of their calls, and their data

STATES:
  outside  the record points outside of the module's code, or llvm-bolt moved
           the function
  no slot  there is no slot before the entry
  unknown  the bytes are neither the compiler's nor libpatchbay's
  foreign  another copy of libpatchbay armed the function
  changed  the function has tracers, but a uprobe or the like disarmed it
  ?        the state keeps changing

EXIT CODES:
  0  at least one function was shown
  1  BIN or the process cannot be read, is malformed, or has another ABI version
  2  wrong usage
  3  no records in BIN or in the process, no matching function, or llvm-bolt
     moved all functions of BIN
)";

static StringRef returns(uint8_t Flags) {
  switch (Flags & PATCHBAY_RECORD_RETURN_MASK) {
  case PATCHBAY_RECORD_RETURN_VOID:
    return "void";
  case PATCHBAY_RECORD_RETURN_GP:
    return "int";
  case PATCHBAY_RECORD_RETURN_FP:
    return "fp";
  default:
    return "other";
  }
}

static std::vector<StringRef> flagNames(uint8_t Flags) {
  static constexpr std::pair<uint8_t, StringLiteral> Known[] = {
      {PATCHBAY_RECORD_SRET, "sret"},
      {PATCHBAY_RECORD_VARIADIC, "variadic"},
      {PATCHBAY_RECORD_NORETURN, "noreturn"},
      {PATCHBAY_RECORD_MUSTTAIL, "musttail"},
      {PATCHBAY_RECORD_RESERVED, "reserved"},
  };
  std::vector<StringRef> Names;
  for (const auto &[Bit, Name] : Known)
    if (Flags & Bit)
      Names.push_back(Name);
  return Names;
}

namespace {
struct Function {
  SiteRecord Record;
  std::vector<StringRef> Names;
};
} // namespace

static void printTable(ArrayRef<Function> Functions, const SymbolNames &All,
                       const DwarfFunctions *Sources) {
  auto HasSource = [&](const Function &F) {
    return !Sources->sourceOf(F.Record.Entry).empty();
  };
  // Omit sources on a narrow terminal, where names need the space.
  if (Sources && ((lineWidth() && lineWidth() < 100) || none_of(Functions, HasSource)))
    Sources = nullptr;
  size_t Untimed = 0;
  Table T;
  for (StringRef Title : {"entry", "hash", "int", "fp", "stack"})
    T.addColumn(Title, Table::Right);
  T.addColumn("returns", Table::Left);
  T.addColumn("flags", Table::Left);
  if (Sources)
    T.addColumn("source", Table::Left);
  T.addColumn("function", Table::Names);
  for (const Function &F : Functions) {
    const patchbay_record &R = F.Record.Raw;
    auto Count = [&](unsigned N) {
      return R.flags & PATCHBAY_RECORD_UNKNOWN_ARGS ? "?" : utostr(N);
    };
    std::string Flags = join(flagNames(R.flags), ",");
    std::vector<std::string> Names = displayNames(All, F.Record.Entry);
    std::string Also;
    if (Names.size() > 1)
      Also = " (also " + join(drop_begin(Names), ", ") + ")";
    if (outputIsTerminal() && Also.size() > 20)
      Also = " (also " + utostr(Names.size() - 1) + " more)";
    std::vector<std::string> Row = {
        utohexstr(F.Record.Entry, /*LowerCase=*/true, /*Width=*/8),
        R.signature ? utohexstr(R.signature, true, 8) : "-",
        Count(R.gp_args), Count(R.fp_args), Count(R.stack_arg_words),
        returns(R.flags).str(), Flags.empty() ? "-" : Flags};
    if (std::string Source = Sources ? printable(Sources->sourceOf(F.Record.Entry)) : "";
        Sources)
      Row.push_back(Source.empty() ? "-" : Source);
    Row.push_back(Table::nameCell("", Names.front(), Also));
    T.addRow(std::move(Row));
    Untimed += (R.flags & PATCHBAY_RECORD_NO_EXIT) != 0;
  }
  T.print(outs(), lineWidth());
  outs().flush();
  errs() << "patchbay: " << counted(Functions.size(), "function");
  if (Untimed)
    errs() << ", " << Untimed << " of them cannot be timed";
  errs() << '\n';
}

static Expected<int> listInlined(const DwarfFunctions *Sources) {
  if (!Sources)
    return makeError(Input + ": has no debug information, which names inlined functions: "
                             "compile with -g");
  NameFilter Filter(Globs), Without(NoShow);
  Table T;
  T.addColumn("places", Table::Right);
  T.addColumn("function", Table::Names);
  T.addColumn("into", Table::Left);
  size_t Rows = 0;
  for (const InlinedFunction &F : Sources->inlined(Filter)) {
    if (!NoShow.empty() && Without.match({StringRef(F.Symbol)}) != NameFilter::None)
      continue;
    T.addRow({utostr(F.Places), printable(F.name()), printable(F.into())});
    ++Rows;
  }
  if (!Rows)
    return makeError(NothingFound, Input + ": no inlined function matches");
  T.print(outs(), lineWidth());
  return Success;
}

static void printJson(const ElfImage &Image, ArrayRef<Function> Functions,
                      const SymbolNames &All, const DwarfFunctions *Sources) {
  json::OStream J(outs(), /*IndentSize=*/2);
  auto Hex = [](uint64_t N) { return formatv("{0:x}", N).str(); };
  J.object([&] {
    J.attribute("file", json::fixUTF8(Image.path()));
    J.attribute("machine", Image.machineName());
    J.attribute("build_id", toHex(Image.buildId(), /*LowerCase=*/true));
    J.attribute("abi_version", PATCHBAY_ABI_VERSION);
    J.attributeArray("functions", [&] {
      for (const Function &F : Functions)
        J.object([&] {
          const patchbay_record &R = F.Record.Raw;
          J.attribute("name",
                      json::fixUTF8(displayNames(All, F.Record.Entry)[0]));
          J.attributeArray("symbols", [&] {
            for (StringRef Name : F.Names)
              J.value(json::fixUTF8(Name));
          });
          if (std::string Source = Sources ? Sources->sourceOf(F.Record.Entry) : "";
              !Source.empty())
            J.attribute("source", json::fixUTF8(Source));
          J.attribute("entry", Hex(F.Record.Entry));
          J.attribute("site", Hex(F.Record.Site));
          J.attribute("hash", Hex(R.signature));
          J.attribute("args_known", !(R.flags & PATCHBAY_RECORD_UNKNOWN_ARGS));
          J.attribute("gp_args", R.gp_args);
          J.attribute("fp_args", R.fp_args);
          J.attribute("stack_arg_words", R.stack_arg_words);
          J.attribute("returns", returns(R.flags));
          J.attributeArray("flags", [&] {
            for (StringRef Name : flagNames(R.flags))
              J.value(Name);
          });
        });
    });
  });
  outs() << '\n';
}

static Expected<int> runList(ArrayRef<const char *>) {
  NameFilter Filter(Globs), Without(NoShow);
  bool IsLive = Live.given();
  if (IsLive == (Input.given() != 0))
    return makeError(Usage, "give either BIN or -p PID: see "
                            "'patchbay list --help'");
  if (Inlined && (IsLive || Json))
    return makeError(Usage, "--inlined prints a table of a file: leave out -p and --json");
  if (IsLive)
    return listLive(Live, Filter, NoShow.empty() ? nullptr : &Without, Json);
  Expected<ElfImage> Image = ElfImage::open(Input);
  if (!Image)
    return Image.takeError();
  auto Found = TraceableFunctions::read(*Image);
  if (!Found)
    return Found.takeError();
  const FunctionNames &Names = Found->Names;
  for (const std::string &Warning : Found->Warnings)
    warn(Warning);
  if (Found->Records.empty())
    return makeError(NothingFound, Found->WhyNone.empty() ? Input + ": " + noRecords()
                                                          : Found->WhyNone);

  std::vector<Function> Functions;
  for (const SiteRecord &R : Found->Records) {
    Function F{R, Names.at(R.Entry)};
    if (Filter.match(F.Names) != NameFilter::None &&
        (NoShow.empty() || Without.match(F.Names) == NameFilter::None))
      Functions.push_back(std::move(F));
  }
  std::unique_ptr<DwarfFunctions> Sources;
  consumeError(DwarfFunctions::open(*Image, {std::string()}).moveInto(Sources));
  if (Inlined)
    return listInlined(Sources.get());
  if (std::string Unmatched = Filter.unmatched(); !Unmatched.empty()) {
    std::string Where = Sources ? Sources->inlinedText(Filter.unmatchedGlobs()) : "";
    std::string Message = Input + ": no function matches " + Unmatched + ": " +
                          (Where.empty()
                               ? Filter.hint(Names.stripped() ? Image->path() : "")
                               : Where);
    if (Functions.empty())
      return makeError(NothingFound, Message);
    warn(Message);
  }
  if (Json)
    printJson(*Image, Functions, Names.known(), Sources.get());
  else
    printTable(Functions, Names.known(), Sources.get());
  return Success;
}

const Verb patchbay::ListVerb = {Options, Help, runList};
