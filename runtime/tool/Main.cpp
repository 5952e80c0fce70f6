// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patchbay command: finds the verb, parses options, prints errors.
#include "patchbay/abi.h"
#include "trace/format/format.h"
#include "verbs/Verb.h"
#include "llvm/Config/llvm-config.h"
#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay list ./server                   list the functions of a program
  patchbay record -F 'http_*' -- ./server  trace these functions
  patchbay report                          show calls and times by function
  patchbay list -p 4711                    list the functions of a process
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

static OptionTable Top("", "Trace the functions of programs that were built with Patchbay");

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

static Error unknownVerb(StringRef Name) {
  std::string Hint = adviceFor("", Name);
  SmallVector<StringRef> Names;
  for (const Verb *V : Verbs)
    Names.push_back(V->Options.Verb);
  if (StringRef Near = nearestName(Name, Names); Hint.empty() && !Near.empty())
    Hint = (", did you mean '" + Near + "'").str();
  return Top.seeHelp("unknown subcommand '" + Name + "'" + Hint);
}

static void printOverview(bool IsShort) {
  std::string Subcommands = "\nSUBCOMMANDS:\n";
  for (const Verb *V : Verbs)
    Subcommands += ("  " + V->Options.Verb + " - " + V->Options.What + "\n").str();
  if (!IsShort)
    return Top.printHelp(outs(), Subcommands + Help);
  Top.printShortHelp(outs(), Help);
  outs() << Subcommands;
}

static void printCompletions(const Verb *Chosen) {
  if (!Chosen)
    for (const Verb *V : Verbs)
      outs() << V->Options.Verb << "\t\t" << V->Options.What << '\n';
  (Chosen ? Chosen->Options : Top).printCompletions(outs());
}

// Fails if output was lost, for example on a full disk.
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
  // Keep an unknown verb, for its error message.
  if (Result.size() == 1 || any_of(Verbs, [&](const Verb *V) {
        return V->Options.Verb == Result[1];
      }))
    Result.push_back("--help");
  return Result;
}

static const Verb *verbOf(ArrayRef<const char *> Args) {
  for (const Verb *V : Verbs)
    if (Args.size() > 1 && V->Options.Verb == Args[1])
      return V;
  return nullptr;
}

// Moves the verb before display options that precede it. Like git and perf, the command accepts
// display options before and after the verb.
static void moveEarlyOptions(std::vector<const char *> &Args) {
  size_t Name = 1; // index of the verb
  while (Name < Args.size() &&
         (StringRef(Args[Name]) == "--no-pager" || StringRef(Args[Name]).starts_with("--color")))
    ++Name;
  if (Name < Args.size())
    std::rotate(Args.begin() + 1, Args.begin() + Name, Args.begin() + Name + 1);
}

// Opens /dev/null for each closed standard stream, so that no other file gets its number. The
// new descriptors are close-on-exec, so the streams stay closed in the program that `record`
// runs. /dev/null is read-only for stdout, so output to a closed stdout still fails.
static void fillStandardStreams() {
  for (int Stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(Stream, F_GETFD) < 0)
      open("/dev/null", (Stream == STDERR_FILENO ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv) {
  fillStandardStreams();
  std::vector<const char *> Args = withoutHelpVerb(ArrayRef<const char *>(argv, argc));
  moveEarlyOptions(Args);
  bool IsCompletion = Args.size() > 1 && StringRef(Args[1]) == "--completions";
  if (IsCompletion)
    Args.erase(Args.begin() + 1);
  const Verb *Chosen = verbOf(Args);
  if (IsCompletion) {
    printCompletions(Chosen);
    return flushed(Success);
  }
  if (!Chosen && Args.size() > 1 && !StringRef(Args[1]).starts_with("-"))
    return report(unknownVerb(Args[1]));

  OptionTable &Options = Chosen ? Chosen->Options : Top;
  auto Program = Options.parse(ArrayRef(Args).drop_front(Chosen ? 2 : 1));
  if (!Program) {
    int Code = report(Program.takeError());
    return Options.RunsProgram ? RecordFailed : Code;
  }
  if (Options.Asked == OptionTable::Version) {
    printVersion(outs());
    return flushed(Success);
  }
  if (!Chosen) {
    printOverview(Options.Asked == OptionTable::ShortHelp);
    return flushed(Options.Asked ? Success : Usage);
  }
  if (Options.Asked) {
    Options.Asked == OptionTable::Help ? Options.printHelp(outs(), Chosen->Help)
                                       : Options.printShortHelp(outs(), Chosen->Help);
    return flushed(Success);
  }

  if (const DisplayOptions *How = Options.Display)
    setUpTerminal(How->Color, How->WithPager && !How->NoPager,
                  How->FullNames && *How->FullNames);
  Expected<int> Code = Chosen->Run(*Program);
  bool Failed = !Code;
  int Status = Failed ? int(report(Code.takeError())) : *Code;
  if (Failed && Options.RunsProgram && Status < RecordFailed)
    Status = RecordFailed;
  Status = flushed(Status);
  endPager();
  return Status;
}
