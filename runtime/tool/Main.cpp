// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patchbay command: finds the verb, parses options, prints errors.
#include "format.h"
#include "patchbay/abi.h"
#include "verbs/DisplayOptions.h"
#include "verbs/NamedValue.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static constexpr char Overview[] =
    "Traces the functions of programs that were built with Patchbay";

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay list ./server                      what can be traced
  patchbay list -p 4711                       what is traced in a process
  patchbay record -F 'http_*' -- ./server     count calls while it runs
  patchbay report                             show the counts
  patchbay record -p 4711 -- sleep 10         of a process that runs already
  patchbay record -t function_duration --threshold 200us -- ./server
  patchbay report                             show what took how long
  patchbay tui                                look at it on a terminal
  patchbay dump --chrome > trace.json         for other programs
  patchbay archive                            to read it on another machine
  patchbay import trace.txt                   what the kernel has traced of itself
  patchbay live -p 4711 --threshold 1ms       while it runs
  patchbay status                             how that goes on, of all processes
  patchbay attach -p 4711 --fexit 'http_*' prog.so:on_return
  patchbay verify ./server                    check it against the ABI

DURATIONS:
  Options that take one (--min, --threshold, ...) want a number with a unit: ns, us, ms,
  s, m or h, as in 10us or 1.5ms. A number alone would be nanoseconds for uftrace,
  microseconds for ftrace, and seconds for top, so that is refused, but for 0.

OPTIONS THAT ARE GIVEN TWICE:
  The last one counts, as with perf and clang. Those of which the help says that they may
  be repeated add up. What contradicts each other (dump --json --csv) is refused.

ENVIRONMENT:
  PATCHBAY_PAGER, PAGER
           the pager for what is long, if standard output is a terminal: by default less,
           with LESS=FRX if LESS is not set; none if it is empty or cat. --no-pager shows
           it without
  NO_COLOR if it is not empty, no colours but with --color=always
  PATCHBAY what to trace in a program that 'record' does not start: see 'record --help'
  DEBUGINFOD_URLS
           servers that may have debug files: see 'archive --help'

EXIT CODES:
  0    success
  1    failure; one line on stderr says which, or 'verify' found faults
  2    wrong usage
  3    no patchbay records, or no function or thread that matches
  125  'record' failed before it ran the program, wrong usage included
  126  'record' cannot execute the program
  127  'record' cannot find the program
  Otherwise 'record' exits with the status of the program that it ran, 128+N
  if signal N killed it.
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

// LLVM brings options of its own, which are neither shown nor accepted.
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

// Where PROG begins in the arguments of a verb that runs one: behind "--", or
// else the first argument that is neither an option nor an option's value. It
// is taken off before LLVM parses the rest, which would expand @file in it.
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
/// A word of perf or uftrace, and what to type in its place.
struct OtherWord {
  StringLiteral Verb, Word, Here; // Verb: empty of verbs themselves
};
} // namespace

static constexpr OtherWord OtherWords[] = {
    {"", "top", "patchbay tui -p PID"},
    {"", "script", "patchbay replay, or dump"},
    {"", "diff", "patchbay report --diff BEFORE AFTER"},
    {"", "stat", "patchbay record, and then report"},
    {"", "version", "patchbay --version"},
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
    {"report", "--stdio", "no option, as it does so"},
    {"dump", "--flame-graph", "--folded"},
    {"dump", "--graphviz", "patchbay graph"},
    {"status", "--pid", "-p"},
    {"live", "--pid", "-p"},
    {"record", "--pid", "-p"},
    {"attach", "--pid", "-p"},
    {"list", "--pid", "-p"},
    {"tui", "--pid", "-p"},
};

static std::string saidElsewhere(StringRef Verb, StringRef Word) {
  for (const OtherWord &W : OtherWords)
    if (W.Verb == Verb && W.Word == Word)
      return (": here that is " + W.Here).str();
  return "";
}

static Error unknownVerb(StringRef Name) {
  std::string Hint = saidElsewhere("", Name);
  SmallVector<StringRef> Names;
  for (const Verb *V : Verbs)
    Names.push_back(V->Command.getName());
  if (StringRef Near = nearestName(Name, Names); Hint.empty() && !Near.empty())
    Hint = (", did you mean '" + Near + "'").str();
  return seeHelp("unknown subcommand '" + Name + "'" + Hint, nullptr);
}

// LLVM takes --output for -o with the value "utput".
static Error checkLongOptions(ArrayRef<const char *> Args, const Verb *Chosen) {
  auto &Options = cl::getRegisteredOptions(
      Chosen ? Chosen->Command : cl::SubCommand::getTopLevel());
  for (size_t I = 0; I < Args.size() && StringRef(Args[I]) != "--"; ++I) {
    StringRef Arg = Args[I];
    if (!Arg.starts_with("-"))
      continue;
    StringRef Name = Arg.ltrim('-').split('=').first;
    if (auto Option = Options.find(Name); Option != Options.end()) {
      // Its value may look like an option.
      I += Option->second->getValueExpectedFlag() == cl::ValueRequired &&
           !Arg.contains('=');
    } else if (std::string Here = Chosen
                                      ? saidElsewhere(Chosen->Command.getName(),
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

// LLVM's lines as one, in the form of the command's own errors: without its
// hint, which leads to the help of all verbs, and only the first thing that is
// wrong.
static Error usageError(StringRef Said, StringRef Self, const Verb *Chosen) {
  std::string Prefix = (sys::path::filename(Self) + ": ").str(), Message;
  for (StringRef Line : split(Said.rtrim(), '\n')) {
    bool Begins = Line.consume_front(Prefix);
    // An option of one letter is near to every letter: LLVM names any of them.
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
  // As it is said of those that begin with two, and by most commands.
  StringRef Text = Message;
  if (Text.consume_front("unknown command line argument "))
    Message = ("unknown option " + Text).str();
  else if (bool TooMany = Text.starts_with("too many positional ");
           TooMany || Text.starts_with("not enough positional "))
    Message = (Twine("too ") + (TooMany ? "many" : "few") + " arguments: it takes " +
               Text.drop_front(Text.rfind(" at ") + 1).split(" pos").first)
                  .str();
  return seeHelp(Message.empty() ? "wrong usage" : Message, Chosen);
}

// What is wrong with an option's value LLVM prints itself, and it cannot be
// told where. Without a file for it, it is printed there.
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

// Results that do not reach their reader are a failure, as on a full disk.
static int flushed(int Code) {
  outs().flush();
  if (!outs().has_error())
    return Code;
  report(
      makeError("cannot write standard output: " + outs().error().message()));
  outs().clear_error();
  return Failure;
}

// `patchbay help VERB` is `patchbay VERB --help`, as with other commands that have
// verbs.
static std::vector<const char *> withoutHelpVerb(ArrayRef<const char *> Args) {
  std::vector<const char *> Result = Args.vec();
  if (Args.size() < 2 || StringRef(Args[1]) != "help")
    return Result;
  Result.erase(Result.begin() + 1);
  // What is no verb is told to be none.
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

// Options of display may come before the verb, as with git and perf. --color alone is
// --color=always, as with ls(1). Arguments after a program's name are the program's.
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

// Take the numbers of standard streams that are closed, so that no file of ours is
// written to as one of them. The program that `record` runs finds them closed, too.
// Results that standard output cannot take are still a failure.
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
