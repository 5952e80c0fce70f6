// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patchbay command: finds the verb, parses options, prints errors.
#include "trace/format/format.h"
#include "verbs/DisplayOptions.h"
#include "verbs/NamedValue.h"
#include "patchbay/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <deque>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static constexpr char Overview[] =
    "Trace the functions of programs that were built with Patchbay";

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay list ./server                   list the functions of a program
  patchbay list -p 4711                    list the functions of a process
  patchbay record -F 'http_*' -- ./server  trace these functions
  patchbay report                          show calls and times by function
  patchbay record -p 4711 -- sleep 10      trace a running process for 10 s
  patchbay record --threshold 200us -- ./server
  patchbay tui                             browse the recording
  patchbay dump --chrome > trace.json      export the recording
  patchbay archive                         add names, to copy the recording
  patchbay import trace.txt                import a kernel ftrace log
  patchbay live -p 4711 --threshold 1ms    change what is traced
  patchbay status                          show all traced processes
  patchbay attach -p 4711 --fexit 'http_*' prog.so:on_return
  patchbay verify ./server                 check a binary against the ABI

DURATIONS:
  A duration is a number with a unit: ns, us, ms, s, m or h (10us, 1.5ms). The
  unit is required, except for 0.

TIMES:
  --from and --to count from the beginning of the recording: 1.5s, 200ms, 30us
  or 40ns. A number without a unit is a timestamp in seconds, as 'patchbay
  replay' prints it.

REPEATED OPTIONS:
  The last value of an option counts, as with perf and clang. The values of a
  repeatable option add up. Options that contradict each other (dump --json
  --csv) are an error.

ENVIRONMENT:
  PATCHBAY_PAGER   pager for long output on a terminal; empty or cat: no pager
  PAGER            pager if PATCHBAY_PAGER is not set (default: less, with
                   LESS=FRX if LESS is not set)
  NO_COLOR         if not empty, use colours only with --color=always
  PATCHBAY         what to trace in a program that 'record' does not start:
                   see 'record --help'
  DEBUGINFOD_URLS  servers of debug files: see 'archive --help'

EXIT CODES:
  0      success
  1      failure: stderr says why, or 'verify' found faults
  2      wrong usage
  3      no patchbay records, or no matching function or thread
  125    'record' failed before it ran the program, or wrong usage
  126    'record' cannot execute the program
  127    'record' cannot find the program
  other  status of the program that 'record' ran; 128+N if signal N killed it
)";

cl::OptionCategory patchbay::ToolOptions("Options");

static const Verb *const Verbs[] = {
    &ArchiveVerb, &AttachVerb,   &DumpVerb,   &GraphVerb,  &ImportVerb,
    &InfoVerb,    &ListVerb,     &LiveVerb,   &OutliersVerb, &RecordVerb,
    &ReplayVerb,  &ReportVerb,   &StatusVerb, &TuiVerb, &VerifyVerb};

static void printVersion(raw_ostream &OS) {
  OS << "patchbay " PATCHBAY_VERSION "\n"
     << "  ABI version " << PATCHBAY_ABI_VERSION << '\n'
     << "  data format version " << PBD_VERSION << '\n'
     << "  LLVM version " LLVM_VERSION_STRING "\n";
}

// Removes LLVM's own options, so that they are neither shown nor accepted.
static void dropForeignOptions(cl::SubCommand &Command) {
  auto &Options = cl::getRegisteredOptions(Command);
  std::vector<StringRef> Foreign;
  for (auto &[Name, Option] : Options)
    if (!is_contained(Option->Categories, &ToolOptions) && Name != "help" &&
        Name != "h" && Name != "version")
      Foreign.push_back(Name);
  for (StringRef Name : Foreign)
    Options.erase(Name);
  Options.find("help")->second->setDescription("Show this help");
}

// Wraps the descriptions of options, so that the help fits 80 columns. LLVM indents the
// lines of a description.
static void wrapDescriptions(cl::SubCommand &Command) {
  static std::deque<std::string> Wrapped;
  auto &Options = cl::getRegisteredOptions(Command);
  size_t Column = 0;
  for (auto &[Name, Option] : Options)
    Column = std::max(Column, Option->getOptionWidth());
  for (auto &[Name, Option] : Options) {
    if (Column + Option->HelpStr.size() <= 80)
      continue;
    std::string Text;
    size_t Used = Column;
    for (StringRef Word : split(Option->HelpStr, ' ')) {
      bool Fits = Used + 1 + Word.size() <= 80;
      if (!Text.empty())
        Text += Fits ? ' ' : '\n';
      Used = Text.empty() || !Fits ? Column + Word.size() : Used + 1 + Word.size();
      Text += Word;
    }
    Option->setDescription(Wrapped.emplace_back(std::move(Text)));
  }
}

// Returns the index of PROG in the arguments of a verb that runs a program. PROG
// follows "--", or is the first argument that is neither option nor option value. The
// caller removes PROG before LLVM parses the rest, since LLVM expands @file.
static size_t findProgram(ArrayRef<const char *> Args,
                          cl::SubCommand &Command) {
  auto &Options = cl::getRegisteredOptions(Command);
  size_t I = 0;
  for (; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (!Arg.starts_with("-"))
      break;
    auto Option = Options.find(Arg.ltrim('-'));
    if (Option != Options.end() &&
        Option->second->getValueExpectedFlag() == cl::ValueRequired)
      ++I;
    else if (Arg == "--")
      break;
  }
  return std::min(I, Args.size());
}

static Error seeHelp(const Twine &Message, const Verb *Chosen) {
  StringRef Name = Chosen ? Chosen->Command.getName() : "";
  return makeError(Usage, Message + ": see 'patchbay " + Name +
                              (Name.empty() ? "" : " ") + "--help'");
}

namespace {
/// A word of perf or uftrace, and its equivalent here.
struct OtherWord {
  StringLiteral Verb, Word, Here; // Verb: empty if Word is a verb itself
};
} // namespace

static constexpr OtherWord OtherWords[] = {
    {"", "top", "'patchbay tui -p PID'"},
    {"", "script", "'patchbay replay' or 'patchbay dump'"},
    {"", "diff", "'patchbay report --diff BEFORE AFTER'"},
    {"", "stat", "'patchbay record' and 'patchbay report'"},
    {"", "version", "'patchbay --version'"},
    {"record", "-A", "--args"},
    {"record", "--argument", "--args"},
    {"record", "-R", "--args"},
    {"record", "--retval", "--args"},
    {"record", "--time-filter", "--threshold"},
    {"record", "--patch", "-F"},
    {"record", "-g", "-t function_graph"},
    {"replay", "-t", "--min"},
    {"replay", "--time-filter", "--min"},
    {"replay", "-r", "--from and --to"},
    {"replay", "--time-range", "--from and --to"},
    {"report", "-t", "--min"},
    {"report", "--time-filter", "--min"},
    {"report", "--stdio", "no option, text is the default"},
    {"dump", "--flame-graph", "--folded"},
    {"dump", "--graphviz", "'patchbay graph'"},
    {"status", "--pid", "-p"},
    {"live", "--pid", "-p"},
    {"record", "--pid", "-p"},
    {"attach", "--pid", "-p"},
    {"list", "--pid", "-p"},
    {"tui", "--pid", "-p"},
};

static std::string adviceFor(StringRef Verb, StringRef Word) {
  for (const OtherWord &W : OtherWords)
    if (W.Verb == Verb && W.Word == Word)
      return (": use " + W.Here).str();
  return "";
}

static Error unknownVerb(StringRef Name) {
  std::string Hint = adviceFor("", Name);
  SmallVector<StringRef> Names;
  for (const Verb *V : Verbs)
    Names.push_back(V->Command.getName());
  if (StringRef Near = nearestName(Name, Names); Hint.empty() && !Near.empty())
    Hint = (", did you mean '" + Near + "'").str();
  return seeHelp("unknown subcommand '" + Name + "'" + Hint, nullptr);
}

// LLVM parses --output as -o with the value "utput", so check long options here.
static Error checkLongOptions(ArrayRef<const char *> Args, const Verb *Chosen) {
  auto &Options = cl::getRegisteredOptions(
      Chosen ? Chosen->Command : cl::SubCommand::getTopLevel());
  for (size_t I = 0; I < Args.size() && StringRef(Args[I]) != "--"; ++I) {
    StringRef Arg = Args[I];
    if (!Arg.starts_with("-"))
      continue;
    StringRef Name = Arg.ltrim('-').split('=').first;
    if (auto Option = Options.find(Name); Option != Options.end()) {
      // The value may look like an option.
      I += Option->second->getValueExpectedFlag() == cl::ValueRequired &&
           !Arg.contains('=');
    } else if (std::string Here = Chosen
                                      ? adviceFor(Chosen->Command.getName(),
                                                      Arg.split('=').first)
                                      : "";
               !Here.empty()) {
      return seeHelp("unknown option '" + Arg.split('=').first + "'" + Here,
                     Chosen);
    } else if (Arg.starts_with("--")) {
      auto Distance = [&](StringRef Known) {
        return Known.starts_with(Name) ? 0 : Name.edit_distance(Known);
      };
      StringRef Near;
      for (auto &[Known, Option] : Options)
        if (Distance(Known) <= Name.size() / 3 &&
            (Near.empty() || Distance(Known) < Distance(Near)))
          Near = Known;
      return seeHelp(
          "unknown option '--" + Name + "'" +
              (Near.empty() ? "" : ", did you mean '--" + Near + "'"),
          Chosen);
    }
  }
  return Error::success();
}

// Turns LLVM's lines into one error in the command's own format. Drops LLVM's hint, which
// names the help of all verbs, and all errors but the first.
static Error usageError(StringRef Said, StringRef Self, const Verb *Chosen) {
  std::string Prefix = (sys::path::filename(Self) + ": ").str(), Message;
  for (StringRef Line : split(Said.rtrim(), '\n')) {
    bool Begins = Line.consume_front(Prefix);
    // LLVM suggests any one-letter option for a wrong letter. Drop the suggestion.
    StringRef Near = Line;
    bool Letter = Near.consume_front("Did you mean '-") &&
                  Near.consume_back("'?") && Near.size() == 1;
    if (Line.empty() || Letter)
      continue;
    if (Begins && !Message.empty() && !Line.starts_with("Did you mean"))
      break;
    size_t Hint = std::min(Line.find(" Try: '"), Line.find(" See: "));
    Message += Message.empty() ? "" : ", ";
    Message += toLower(Line.front());
    Message += Line.slice(1, Hint).rtrim(" .!?:");
  }
  // Use the words of checkLongOptions() and of most commands.
  StringRef Text = Message;
  if (Text.consume_front("unknown command line argument "))
    Message = ("unknown option " + Text).str();
  else if (bool TooMany = Text.starts_with("too many positional ");
           TooMany || Text.starts_with("not enough positional "))
    Message = (Twine("too ") + (TooMany ? "many" : "few") + " arguments: give " +
               Text.drop_front(Text.rfind(" at ") + 1).split(" pos").first)
                  .str();
  return seeHelp(Message.empty() ? "wrong usage" : Message, Chosen);
}

// LLVM prints errors in option values to stderr itself. Redirect stderr to a memory file
// meanwhile, and return the messages in Said. If memfd_create() fails, LLVM's messages
// stay on stderr.
static bool parseOptions(ArrayRef<const char *> Args, std::string &Said) {
  raw_string_ostream Errors(Said);
  int Flags = fcntl(STDERR_FILENO, F_GETFD);
  int Stderr = dup(STDERR_FILENO), Printed = memfd_create("", MFD_CLOEXEC);
  dup2(Printed, STDERR_FILENO);
  bool Parsed =
      cl::ParseCommandLineOptions(Args.size(), Args.data(), Overview, &Errors);
  dup2(Stderr, STDERR_FILENO);
  fcntl(STDERR_FILENO, F_SETFD, Flags);
  char Text[4096];
  if (ssize_t Size = pread(Printed, Text, sizeof(Text), 0); Size > 0)
    Errors << StringRef(Text, Size);
  close(Printed);
  close(Stderr);
  return Parsed;
}

// Lost output, such as on a full disk, is a failure.
static int flushed(int Code) {
  outs().flush();
  if (!outs().has_error())
    return Code;
  report(
      makeError("cannot write standard output: " + outs().error().message()));
  outs().clear_error();
  return Failure;
}

// Translates `patchbay help VERB` to `patchbay VERB --help`, as git does.
static std::vector<const char *> withoutHelpVerb(ArrayRef<const char *> Args) {
  std::vector<const char *> Result = Args.vec();
  if (Args.size() < 2 || StringRef(Args[1]) != "help")
    return Result;
  Result.erase(Result.begin() + 1);
  // An unknown verb stays, for its error message.
  if (Result.size() == 1 || any_of(Verbs, [&](const Verb *V) {
        return V->Command.getName() == Result[1];
      }))
    Result.push_back("--help");
  return Result;
}

static const Verb *verbOf(ArrayRef<const char *> Args) {
  for (const Verb *V : Verbs)
    if (Args.size() > 1 && V->Command.getName() == Args[1])
      return V;
  return nullptr;
}

// Moves display options in front of the verb after it, as git and perf accept them.
// Expands --color to --color=always, as ls(1) does, but not in the arguments of PROG.
static std::vector<const char *> withoutEarlyOptions(std::vector<const char *> Args) {
  auto IsOfDisplay = [](StringRef Arg) {
    return Arg == "--no-pager" || Arg == "--color" || Arg.starts_with("--color=");
  };
  size_t Name = 1; // of the verb
  while (Name < Args.size() && IsOfDisplay(Args[Name]))
    ++Name;
  if (Name < Args.size())
    std::rotate(Args.begin() + 1, Args.begin() + Name, Args.begin() + Name + 1);
  if (const Verb *Chosen = verbOf(Args); Chosen && Chosen->RunsProgram)
    return Args;
  for (size_t I = 0; I != Args.size() && StringRef(Args[I]) != "--"; ++I)
    if (StringRef(Args[I]) == "--color")
      Args[I] = "--color=always";
  return Args;
}

// Opens /dev/null for each closed standard stream, so that no other file gets its number.
// They are close-on-exec: the program that `record` runs still finds them closed. Output
// to a closed stdout still fails, since /dev/null is opened read-only for it.
static void fillStandardStreams() {
  for (int Stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(Stream, F_GETFD) < 0)
      open("/dev/null", (Stream == STDERR_FILENO ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv) {
  fillStandardStreams();
  const std::vector<const char *> Words = withoutEarlyOptions(
      withoutHelpVerb(ArrayRef<const char *>(argv, argc)));
  ArrayRef<const char *> Args(Words);
  const Verb *Chosen = verbOf(Args);
  cl::extrahelp Examples(Chosen ? Chosen->Help : Help);

  dropForeignOptions(cl::SubCommand::getTopLevel());
  for (const Verb *V : Verbs)
    dropForeignOptions(V->Command);
  wrapDescriptions(Chosen ? Chosen->Command : cl::SubCommand::getTopLevel());
  cl::SetVersionPrinter(printVersion);

  ArrayRef<const char *> Own = Args, Program;
  if (Chosen && Chosen->RunsProgram) {
    size_t Split = 2 + findProgram(Args.drop_front(2), Chosen->Command);
    Own = Args.take_front(Split);
    Program = Args.drop_front(Split);
    if (!Program.empty() && StringRef(Program.front()) == "--")
      Program = Program.drop_front();
  }

  std::string Said;
  if (!Chosen && Args.size() > 1 && !StringRef(Args[1]).starts_with("-"))
    return report(unknownVerb(Args[1]));
  Error Wrong = checkLongOptions(Own.drop_front(Chosen ? 2 : 1), Chosen);
  if (!Wrong && !parseOptions(Own, Said))
    Wrong = usageError(Said, Own.front(), Chosen);
  if (Wrong) {
    int Code = report(std::move(Wrong));
    return Chosen && Chosen->RunsProgram ? RecordFailed : Code;
  }
  if (!Chosen) {
    cl::PrintHelpMessage();
    outs() << Help;
    return flushed(Usage);
  }

  if (const DisplayOptions *How = DisplayOptions::of(Chosen->Command))
    setUpTerminal(How->Color, How->WithPager && !How->NoPager,
                  How->FullNames && How->FullNames->getValue());
  Expected<int> Code = Chosen->Run(Program);
  bool Failed = !Code;
  int Status = Failed ? int(report(Code.takeError())) : *Code;
  if (Failed && Chosen->RunsProgram && Status < RecordFailed)
    Status = RecordFailed;
  Status = flushed(Status);
  endPager();
  return Status;
}
