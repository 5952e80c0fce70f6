// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay record`: runs a program with the tracer preloaded.
#include "RecordOptions.h"
#include "attach/ProcessChoice.h"
#include "moment.h"
#include "options.h"
#include "recording/CallCost.h"
#include "recording/MemoryFiles.h"
#include "recording/OptionFile.h"
#include "recording/OutputDir.h"
#include "recording/Program.h"
#include "recording/RecordProcess.h"
#include "recording/RecordSummary.h"
#include "recording/RunProgram.h"
#include "recording/Selection.h"
#include "recording/TracerLibrary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static cl::SubCommand RecordCommand("record",
                                    "Run a program, or take one that runs, and "
                                    "trace its functions");
// For the usage line. Main.cpp has taken the program off the command line.
static cl::list<std::string> ProgramUsage(cl::Positional,
                                          cl::desc("-- PROG [ARGS...]"),
                                          cl::sub(RecordCommand),
                                          cl::cat(ToolOptions));
static RecordOptions Opts(RecordCommand);

static constexpr char Help[] = R"(
  PROG and the libraries it needs are looked through first; if none has a
  function to trace, or -N leaves out all of them, PROG is not run and nothing is
  written. A warning says which GLOB of -N no function matches. An earlier
  recording in DIR is moved to DIR.old, unless DIR holds a file that patchbay did not
  write: then PROG is not run. If something is still being recorded in
  one of them, by another 'patchbay record' or by a process in the background,
  PROG is not run, either.

  What is recorded is for you alone, as with perf: DIR is made with mode 0700, and
  the files in it with 0600. An empty DIR that is there already keeps its mode:
  processes of other users write to it if they may.

  SIGINT, SIGQUIT, SIGTERM and SIGHUP that are sent to this command are passed on
  to PROG. When PROG has ended, whatever ended it, what was recorded is said, and
  whether others go on, as of a program that has gone into the background.

  With -p the process PID, which may have been started by anybody and without
  anything, is recorded from now on, until Ctrl-C or, as with perf, until the command
  behind -- has ended. The runtime is loaded into it by a thread that is made in it for
  that; for this one of its threads stands still for some 0.2 ms, where it waits, or is
  in code of the program's own. Afterwards nothing is left but libraries that nobody
  calls: no thread, no descriptor, nothing armed. That holds if this command is killed,
  too, after ten seconds. You may do this to processes that you may debug. Its user has
  to be able to write to DIR, which is given to it where root has made it. If it is in a
  container, or has another root directory, it writes to its own /tmp, /var/tmp or /dev/shm
  instead, and that is copied to DIR at the end. Processes
  that it forks are recorded with --follow. What it does to itself by setuid(2), chroot(2),
  seccomp(2) and longjmp(3) meanwhile is not prepared for, as it is in programs that
  this command runs.

  PROG finds LD_PRELOAD and PATCHBAY in its environment, so that programs that it
  starts are traced too, each into a file of its own. A program for another C library,
  as musl, or another architecture runs untraced, and so does what it starts. A shared
  AddressSanitizer is named first in LD_PRELOAD, as it has to be. The child of a fork adds its
  counts to its parent's file, and has one of its own for events, which is read
  with its parent's: the files of a recording belong together.

  A process that becomes another user, as the workers of a server that root starts,
  or calls chroot(2) goes on being recorded and controlled. Where it can make no file
  from then on, 16 are set aside for what it forks, and what that forks: what is lost
  of others is said. Programs that such a process starts are not traced, unless its
  user may write to DIR.

  Events of several threads and processes are put in order when they are read,
  by the processor's clock. They are in files from the moment on when they
  happen: a process may be killed at any time.

  With --live PROG has one thread more, which listens, and so have children that it
  forks: it must not end by ending its last thread, nor count on having only one (as
  for unshare(2)). That thread ends when PROG restricts its system calls (seccomp) or
  files (Landlock), and 'patchbay live' then says so. It keeps capabilities that PROG
  gives up by capset(2), until it ends. fork(2) waits for the locks of malloc(3) in a
  program with two threads: a signal handler that forks after a crash within malloc(3), to
  report it, hangs. All this is so with --max-rate, --max-overhead and --rotate-*, too.

  The runtime learns of a seccomp filter when PROG installs it by the C library. It does
  not learn of one that PROG installs by a system call instruction of its own, as Go and
  Chromium do. If such a filter kills, it kills PROG at an event. Record such programs
  with function_profile, which makes no system call, or turn PROG's sandbox off.

  With --thread the others take no space. What counts is the name that a thread has
  when it makes traced calls, so those before it is given its name are not recorded. A
  new name of one that is not recorded is seen 10 us to 10 ms later, the sooner the
  younger the thread is, and of one that is, when it takes more space. A warning
  says, at the end, which GLOB no thread matched.

  A call that is timed (function_duration, function_graph, --histogram) takes some
  300 bytes more of the stack until it returns (ppc64le: 560), or 850 where its result
  is in a vector register (AArch64: 450, ppc64le: 870). A recursion of 28,000 levels
  is past the usual 8 MB by that alone: time less of it by --depth (on x86-64) or -N,
  or give it more, as by ulimit -s. The tracer function, and counts, take none while the
  function runs. To read arguments that --args names takes 500 bytes while a call begins
  or ends, so fibers with 4 KB bear it.

  With --under a call is recorded while its thread is in a call of one of these functions,
  however deep, and so are these calls themselves, if -F selects the functions. --depth
  counts from there. On x86-64 other calls take no more than a look at that: no time is
  measured. Threads that are started within such a call are not followed. With -p a call
  that had begun before is not known: recording begins with the next one. If longjmp(3)
  leaves it in a process of -p, it ends with the next call of a function that is above it.

  With --threshold, and with function_duration in any case, a call is written down when
  it ends, since it is not known before whether it takes that long. So a call that has
  not ended when the recording does is not in it. Nor is one that is left by anything
  but longjmp(3) or an exception: a Go panic that passes C code, __builtin_longjmp(), an
  unwinder of the program's own, a fiber that is not resumed any more. The report says
  how many calls have no return; of a process that was killed by a signal they are not
  known. function_graph without --threshold has all of them, from their beginning, and
  says how many were cut off.

  With --why DURATION it is recorded of each call that took so long, or longer, when it
  has ended, what it waited for: when its thread left the processor and came back, and whether it
  could have run meanwhile, which the kernel writes down by itself (perf_event_open(2), a
  ring of each thread, of 8 KB or 36 KB; perf_event_mlock_kb limits them all). Who may look
  at the kernel (perf_event_paranoid of 1 or less, or CAP_PERFMON) is told where in the
  kernel the thread was, too. Elsewhere it is known at least for how long the thread was
  off, by its processor time since its last slow call. 16 KB of the stack are kept, and
  who called is found by unwind tables when the recording is read, so no frame pointers
  are needed. Such a call takes some 40 us more and 20 KB of the file, up to --buffer for
  the process, or half of --max-memory; others make no system call, and take no more than before. 'patchbay info'
  says what was known, and why no more; 'patchbay replay', 'report', 'outliers' and 'dump'
  show it. Of a thread's first recorded call only the least time is known.

  With --max-rate and --max-overhead each call of a function that is traced takes some
  10 ns more, to be counted, and ten times a second those functions are disarmed that
  were called too often since the last time. So what is left to pay is limited. It ends
  where PROG restricts its system calls (seccomp). For --max-overhead it is measured at
  the beginning, in some 20 ms, what a call costs on this machine with this tracer and
  these options; the first milliseconds cost what they cost. A function that was disarmed
  for that is armed again when there has been room for it for a second. One that cost much
  is tried later, and more and more seldom. Half of what is allowed may go into --why: then
  of some slow calls it is not recorded why, and 'patchbay info' says of how many.
  'patchbay status' shows what tracing costs by this reckoning.

  With --sample a call that is not recorded takes a few nanoseconds, to be counted.
  'patchbay report' shows how often each function was called ("made"), and times of the
  calls that were recorded: nothing is scaled. Where calls of a function take turns at
  being short and long, take an odd N. What is slower than 'patchbay live --slower' is
  seen only of calls that are recorded.

  Programs map the files that they record to. Truncating one ends its program by SIGBUS;
  deleting it harms nobody. In a file system in memory (tmpfs, as /dev/shm mostly is) a
  file counts as memory of the program, for the limit of its control group: a warning
  says so, and --max-size limits it.

  With --rotate-size and --rotate-every a process writes one file after the other: PID.pbd
  until then, and when nobody writes to it any more it is PID.TIME.pbd with the time of its
  end, as 42.20260131T235959.999Z.pbd (UTC). Other files in DIR are neither renamed nor
  removed, and do not count for --keep and --max-size. So a collector takes files of such names, which
  are whole, and can be read on their own: 'patchbay report -i' a directory with some of
  them. A call that returns in another file than that in which it began is in both, with
  function_graph: as one that has not returned in the first. No event is lost between two
  files. What records nothing begins no file. It ends where PROG restricts its system calls
  (seccomp), or becomes another user: then the last file grows on.

  With --max-size all files count together, by what they take of the disk, of children and
  programs that PROG starts, too; with -p, of processes in another root directory each
  counts for itself. What finds no room is lost and counted. With --rotate-size or
  --rotate-every the oldest file is removed before the limit is reached, as with --keep.

  With --no-sleep-time each thread has a page of perf_event_open(2), which says
  whether it has been off its processor; the kernel is asked for how long, by one
  system call. Where perf_event_open(2) is refused (perf_event_paranoid, sandboxes)
  that is one system call each time that a function begins or ends: 'patchbay info'
  shows which it was. Each time that a thread has slept takes an event. When calls
  began and ended is recorded all the same, and shown by 'patchbay replay' and
  timelines.

  With --args 'parse(name, req->uri, retval)' debug information is read (of PROG and the
  libraries it needs; -g, or where debuggers find it). If they have no such function, it is
  read of libraries that PROG may load: its arguments, names in its constants, what is beside
  it, in LD_LIBRARY_PATH or in its run path. Then a line at the end says if there is none.
  What is recorded are numbers, bool, char, enumerations by
  name, texts that end with NUL, std::string, std::string_view, arrays of char, members behind
  pointers by -> and . , and the result, which is called retval; at most 64 bytes of a text.
  '*' is all of them that can be read; a warning says which are left out, and why. They are
  those of the moment when the call begins. What lies in memory the kernel is asked for, by
  one system call of a microsecond or less for each pointer, so that a wrong pointer harms
  nobody: what cannot be read is shown as <unreadable>, and where a filter of system calls
  was in force when PROG began, as <not read>. Floating-point arguments are read on x86-64
  only. What the compiler has removed, or does not say where it is, is refused. What a
  function does not use its callers may not have passed: a warning says so.

  Calls for which --when does not hold are left out, and counted: 'patchbay info' shows
  how many. What cannot be read is not left out. It holds for those functions of --args
  that have such an argument. Numbers in registers are compared where they are.

  With --args GLOB alone arguments are those in integer registers, in their order; a
  structure may take two. Of what types they are is not known: small numbers are shown in
  decimal, others in hexadecimal. What floating-point registers hold is known of results
  only: a float if the upper half of the register is zero, else a double.
  'patchbay replay' and 'patchbay dump' show arguments.

  Demangled names, of options that take GLOB, are looked up in PROG and the libraries it
  needs at its start. In modules that it loads later, and in programs that it starts, the
  runtime matches them. At the end a line says which GLOB no function matched.

  Names of a stripped file are read from its debug file, where debuggers find that: by
  build id in /usr/lib/debug, by .gnu_debuglink, or from DEBUGINFOD_URLS. That is done at
  the start, for PROG and the libraries it needs.

  Where the compiler has appended to the name of a function, GLOB matches the name
  with and without that: 'parse' selects parse.llvm.1527 of ThinLTO, parse.cold and
  _ZL5parsei.__uniq.7, too; <patchbay/names.h> has them all.

  The names of the functions that are traced are stored with the recording, as the
  program's files have them when they are loaded: those files may be removed or replaced
  later. That takes 14 to 27 bytes for each function: 13 KB of Lua with 643 functions,
  104 KB of redis-server with 3,900. Forked children refer to their parent's names.
  --no-names leaves them out.

ENVIRONMENT:
  A program that something else starts, such as a service manager, is traced if
  LD_PRELOAD names libpatchbay-trace.so and PATCHBAY is a list of NAME=VALUE,
  separated by commas; a backslash makes a comma part of a value. Three of them
  have no default: tracer, output, and filter, unless there is args or live.
  Demangled names are matched as said above. When the program ends it says on
  standard error what no function matches, and 'patchbay info' does:
    tracer    as -t, --tracer
    output    directory for data files, which exists
    filter    as -F; may be repeated
    notrace   as -N; may be repeated
    args      as --args; may be repeated
    thread    as --thread; may be repeated
    under, start-at, stop-at
              as the options above; may be repeated
    threshold, why, trace-context, depth, sample, max-rate, max-overhead, max-memory,
    max-size, rotate-size, rotate-every, keep, histogram=1, sleep-time=0, names=0,
    buffer, overwrite=1, live=1
              as the options above; sleep-time=0 as --no-sleep-time, names=0 as --no-names
              A duration is a whole number with a unit there; of rotate-every ms, s, m or h
    call-cost what max-overhead takes a traced call for, in picoseconds (60000)

EXAMPLES:
  patchbay record -- ./server --port 80
  patchbay record -F 'lua_*' -F 'luaV_execute' -- lua fib.lua
  patchbay record -F 'Cache::*' -o cache.data -- ./server
  patchbay record --histogram -F 'http_*' -- ./server
  patchbay record -t count -- ./server
  patchbay record --threshold 200us -- ./server
  patchbay record --no-sleep-time -- ./server
  patchbay record --threshold 1ms --why 10ms -- ./server
  patchbay record -t graph --thread 'worker-*' -- ./server
  patchbay record -t graph --args 'http_*' -- ./server
  patchbay record --args handle --trace-context arg1 -- ./server
  patchbay record -t entry -F 'lua_*' --buffer 4M --overwrite -- lua fib.lua
  patchbay record -t entry --start-at parse --stop-at emit -- ./compiler x.c
  patchbay record --force -F 'plugin_*' -- ./host plugin.so
  patchbay record --force -- ./run-server.sh
  patchbay record -p $(pgrep -o nginx) -- sleep 10
  patchbay record -p $(pgrep -o nginx) -t graph --max-overhead 2% -- sleep 60
  patchbay record --unit nginx --follow -F 'ngx_http_*' -- sleep 10
  LD_PRELOAD=/usr/lib/libpatchbay-trace.so \
    PATCHBAY='tracer=function,filter=http_*,output=/var/tmp' ./server

EXIT CODES:
  The status of PROG, 128+N if signal N killed it, whatever was lost or not traced:
  what was is said at the end. With -p 0. Or
  125  patchbay failed before it ran PROG, or recorded PID, wrong usage included
  126  PROG cannot be executed
  127  PROG cannot be found
)";

//===----------------------------------------------------------------------===//
// What the tracer is told
//===----------------------------------------------------------------------===//

// The traced process knows its counter's rate the better the longer ago the
// first moment is, so it is taken first.
static std::string clockOption() {
  pb_moment Now = pb_moment_now();
  return ",clock=" + utostr(Now.ticks) + "/" + utostr(Now.monotonic_ns);
}

// Each recorded call is in the file, and costs the same. So it is known what recording
// took, and it can be taken out of durations.
static bool isCostKnown() {
  return (Opts.Tracer == RecordOptions::FunctionDuration ||
          Opts.Tracer == RecordOptions::FunctionGraph) &&
         Opts.Threshold.empty() && !Opts.Depth && Opts.Sample.empty();
}

// What a call costs, for those who need to know. Where that cannot be measured the
// recording is made all the same, and report says that nothing is taken out.
static Expected<std::string> costOptions(const ElfImage &TracerImage) {
  const bool HasBudget = !Opts.MaxOverhead.empty();
  if (!HasBudget && !isCostKnown())
    return "";
  std::string How = Opts.how() + ",names=0,buffer=64M";
  // Nothing costs that much.
  if (HasBudget)
    How += ",live=1,max-overhead=" + utostr(PB_OVERHEAD_MAX / 100);
  if (HasBudget && !Opts.ArgsOf.empty())
    How += ",args=probe_*";
  auto Cost = measureCallCost(TracerImage.path(), How);
  if (!Cost && !HasBudget) {
    consumeError(Cost.takeError());
    return "";
  }
  if (!Cost)
    return makeError("--max-overhead: " + toString(Cost.takeError()));
  std::string Options = isCostKnown() ? Cost->option() : "";
  if (HasBudget)
    Options += ",max-overhead=" + Opts.MaxOverhead + ",call-cost=" + utostr(Cost->All);
  return Options;
}

static Expected<std::string> tracerOptions(const Wanted &W) {
  std::string Options = Opts.how();
  for (const std::string &Typed : W.Typed.options())
    Options += ",typed=" + escapeOption(Typed);
  for (const std::string &Symbol : W.Typed.Untyped)
    Options += ",args=" + escapeOption(Symbol);
  for (const Selection &S : W.Selections) {
    for (const std::string &Glob : S.Globs)
      Options += ("," + S.Name + "=" + escapeOption(Glob)).str();
    // Of these there are thousands, and each filter takes its time.
    StringRef Name = StringSwitch<StringRef>(S.Name)
                         .Case("filter", "symbol")
                         .Case("notrace", "notrace-symbol")
                         .Default(S.Name);
    for (const std::string &Symbol : S.Symbols)
      Options += ("," + Name + "=" + escapeOption(Symbol)).str();
  }
  if (!Opts.TraceContext.empty())
    Options += ",trace-context=" + escapeOption(Opts.TraceContext);
  for (const std::string &Thread : Opts.Threads)
    Options += ",thread=" + escapeOption(Thread);
  Options += Opts.Limits.text();
  if (!Opts.MaxRate.empty())
    Options += ",max-rate=" + Opts.MaxRate;
  if (Opts.Live)
    Options += ",live=1";
  return Options;
}

// What to trace, and what becomes of a program in which there is none of it.
static Expected<Wanted> wanted() {
  Wanted W;
  std::vector<std::string> Untyped;
  for (const std::string &Text : Opts.ArgsOf)
    if (auto Request = parseTypedRequest(Text))
      W.Typed.Requests.push_back(std::move(*Request));
    else if (StringRef Names = StringRef(Text).split('(').second;
             Names.contains("->") && !Names.contains("operator->"))
      return makeError(Usage, "--args: '" + Text + "': cannot parse '" +
                                  Names.rsplit(')').first +
                                  "': an argument is a name, with members by -> and . "
                                  "as in 'parse(req->uri)'");
    else if (StringRef(Text).count('(') == StringRef(Text).count(')') ||
             StringRef(Text).contains('[')) // a glob may have one alone
      Untyped.push_back(Text);
    else
      return makeError(Usage, "--args: '" + Text +
                                  "': a parenthesis has no other: arguments are named as "
                                  "in 'parse(name, len)'");
  auto Conditions = parseConditions(Opts.When);
  if (!Conditions)
    return Conditions.takeError();
  W.Typed.Conditions = std::move(*Conditions);
  // The entry is recorded before it is known what comes back.
  if (Opts.Tracer == RecordOptions::FunctionGraph && Opts.Threshold.empty())
    for (const TypedCondition &C : W.Typed.Conditions)
      if (StringRef(C.Path).starts_with("retval"))
        return makeError(Usage, "--when '" + C.Text +
                                    "': function_graph records entries before that is "
                                    "known: choose function_duration with -t, or add "
                                    "--threshold");
  std::vector<std::string> Given(Opts.Globs.begin(), Opts.Globs.end());
  if (Given.empty())
    Given.push_back("*");
  W.Selections.emplace_back("filter", std::move(Given));
  W.Selections.emplace_back("notrace", Opts.NoTrace);
  W.Selections.emplace_back("args", std::move(Untyped));
  W.Selections.emplace_back("under", Opts.Under);
  W.Selections.emplace_back("start-at", Opts.StartAt);
  W.Selections.emplace_back("stop-at", Opts.StopAt);
  W.OrElse = Opts.Force ? "what it loads or starts later is traced"
                        : "--force runs it for what it loads or starts later";
  return W;
}

// <patchbay/exit.h> has the figures. Whether the stack was full nobody knows
// here: the process is gone.
static void sayWhatTimingTakes(int Status) {
  if (Opts.isTimed() && WIFSIGNALED(Status) && WTERMSIG(Status) == SIGSEGV)
    errs() << "patchbay: each call that is timed takes some 300 to 850 bytes "
              "more of the stack: if a deep recursion used it up, time less of "
              "it (--depth, -N), or give it more (ulimit -s)\n";
}

static Expected<int> recordRunning(std::vector<pid_t> Named,
                                   ArrayRef<const char *> Args,
                                   StringRef Clock,
                                   const RecordingLimits &Limits) {
  auto Others = chooseProcesses({Opts.Comms, Opts.Units, Opts.Cgroups});
  if (!Others)
    return Others.takeError();
  std::vector<pid_t> First = Named;
  First.insert(First.end(), Others->begin(), Others->end());
  if (Opts.Follow)
    for (pid_t Pid : First)
      append_range(*Others, descendants(Pid));
  sort(*Others);
  Others->erase(llvm::unique(*Others), Others->end());
  erase_if(*Others, [&](pid_t Pid) { return is_contained(Named, Pid); });

  auto TracerImage = openTracer();
  if (!TracerImage)
    return TracerImage.takeError();
  auto Cost = costOptions(*TracerImage);
  if (!Cost)
    return Cost.takeError();
  if (Error E = wanted().takeError())
    return std::move(E);
  auto What = [] {
    Wanted W = cantFail(wanted());
    W.OrElse = "";
    return W;
  };
  auto Options = [&](const Wanted &W) -> Expected<std::string> {
    auto Text = tracerOptions(W);
    if (Text && Opts.hasEvents())
      *Text += Clock;
    if (Text && Opts.Follow)
      *Text += ",follow=1";
    if (Text)
      *Text += *Cost + Limits.option();
    return Text;
  };
  return recordProcesses({Named, *Others, What, Options, Opts.Output, Opts.Threads,
                          Opts.Follow, Opts.Force, Limits},
                         Args);
}

static Expected<int> runRecord(ArrayRef<const char *> Args) {
  Opts.chooseTracer();
  auto Named = Opts.processes();
  if (!Named)
    return Named.takeError();
  bool IsRunning = !Named->empty() || !Opts.Comms.empty() || !Opts.Units.empty() ||
                   !Opts.Cgroups.empty();
  if (Args.empty() && !IsRunning)
    return makeError("no program to run: put it last, as in 'patchbay record "
                     "-F GLOB -- PROG ARGS'; or name a process with -p PID");
  auto Limits = Opts.read();
  if (!Limits)
    return Limits.takeError();
  std::string Clock = clockOption();
  if (Opts.Output.empty())
    return makeError("-o needs a directory, its name is empty");
  if (IsRunning)
    return recordRunning(*Named, Args, Clock, *Limits);
  if (Opts.Follow)
    return makeError(Usage, "--follow is for processes that run already: what "
                            "PROG forks is recorded in any case");
  auto Path = findProgram(Args.front());
  if (!Path)
    return Path.takeError();
  auto Program = openProgram(*Path);
  if (!Program)
    return Program.takeError();
  if (Error E = checkLibc(*Program))
    return E;
  auto TracerImage = openTracer();
  if (!TracerImage)
    return TracerImage.takeError();

  auto Asked = wanted();
  if (!Asked)
    return Asked.takeError();
  Wanted W = std::move(*Asked);
  W.Arguments.assign(Args.begin() + 1, Args.end());
  std::vector<std::string> Unmatched;
  if (Error E = checkProgram(*Path, *Program, *TracerImage, W)) {
    if (!Opts.Force)
      return E;
    warn(toString(std::move(E)));
    for (const Selection &S : W.Selections)
      if (S.Name != "notrace")
        append_range(Unmatched, S.Filter.unmatchedGlobs());
    llvm::erase(Unmatched, "*");
  }
  auto Options = tracerOptions(W);
  if (!Options)
    return Options.takeError();

  auto Cost = costOptions(*TracerImage);
  if (!Cost)
    return Cost.takeError();
  *Options += *Cost;

  auto Dir = OutputDir::create(Opts.Output);
  if (!Dir)
    return Dir.takeError();
  if (Opts.hasEvents()) {
    *Options += Clock;
    if (!Limits->MaxSize)
      warnOfMemory(Opts.Output, Dir->path(), getpid());
  }
  *Options += Limits->option() +
              (Unmatched.empty() ? ",checked=1" : ",checked=later");
  auto Given = withOutput(*Options, Dir->descriptor(), Dir->path(), unsigned(getpid()));
  if (!Given) {
    Dir->undo();
    return Given.takeError();
  }
  if (Error E = Dir->writeCommand())
    warn(Opts.Output + ": the command is not written down: " + toString(std::move(E)));
  std::string Preload = preloadList(*Program, TracerImage->path());
  setenv("LD_PRELOAD", Preload.c_str(), /*overwrite=*/1);
  setenv("PATCHBAY", Given->c_str(), /*overwrite=*/1);

  auto Status = runProgram(*Path, Args);
  if (!Status) {
    Dir->undo();
    return Status.takeError();
  }
  sayWhatKilled(Args.front(), *Status);
  sayWhatTimingTakes(*Status);
  sayWhatWasNotFound(*Dir, Opts.Output, Unmatched, W.Typed.unmatchedRequests());
  sayWhatWasRecorded(Args.front(), *Dir, Opts.Output, Opts.Threads, *Limits);
  return WIFSIGNALED(*Status) ? 128 + WTERMSIG(*Status) : WEXITSTATUS(*Status);
}

const Verb patchbay::RecordVerb = {RecordCommand, Help, runRecord,
                                   /*RunsProgram=*/true};
