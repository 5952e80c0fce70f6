// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay record`: runs a program with the tracer preloaded, or attaches to processes.
#include "RecordOptions.h"
#include "attach/ProcessChoice.h"
#include "recording/CallCost.h"
#include "recording/Program.h"
#include "recording/RecordProcess.h"
#include "recording/RecordSummary.h"
#include "recording/Recorder.h"
#include "recording/RunProgram.h"
#include "support/PlainText.h"
#include "trace/options/options.h"
#include "trace/system/moment.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <chrono>
#include <cstdlib>
#include <sys/wait.h>

using namespace llvm;
using namespace patchbay;

static OptionTable Table("record",
                         "Run a program or attach to a process, and record calls",
                         /*RunsProgram=*/true);
static RecordOptions Opts(Table);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay record -F 'Cache::*' -o cache.data -- ./server
  patchbay record --why 10ms -F 'Cache::*' -- ./server
  patchbay record -p $(pgrep -o nginx) -- sleep 10
  patchbay record -- ./server --port 80
  patchbay record -F 'lua_*' -F 'luaV_execute' -- lua fib.lua
  patchbay record --histogram -F 'http_*' -- ./server
  patchbay record -t count -- ./server
  patchbay record --threshold 200us -- ./server
  patchbay record --no-sleep-time -- ./server
  patchbay record -t graph --thread 'worker-*' -- ./server
  patchbay record -t graph --args 'http_*' -- ./server
  patchbay record --args handle --trace-context arg1 -- ./server
  patchbay record -t entry -F 'lua_*' --buffer 4M --overwrite -- ./server
  patchbay record -t entry --start-at parse --stop-at emit -- ./cc x.c
  patchbay record --force -F 'plugin_*' -- ./host plugin.so
  patchbay record --force -- ./run-server.sh
  patchbay record -p $(pgrep -o nginx) --max-overhead 2% -- sleep 60
  patchbay record -p $(pgrep -o nginx) --delay 3s --for 10s
  patchbay record --unit nginx --follow -F 'ngx_http_*' -- sleep 10
  LD_PRELOAD=/usr/lib/libpatchbay-trace.so \
    PATCHBAY='tracer=entry,filter=http_*,output=/var/tmp' ./server

RUNNING A PROGRAM:
  'patchbay record' checks PROG and the libraries it needs. If they have no
  function to trace, it does not run PROG and writes nothing. --force runs PROG
  all the same: for functions of plugins, which PROG loads by dlopen(3), and of
  programs that it starts. Signals SIGINT, SIGQUIT, SIGTERM and SIGHUP that this
  command receives are passed on to PROG. When PROG has ended, for any reason,
  the command prints what was recorded, what was lost, and which processes still
  record.

  PROG gets LD_PRELOAD and PATCHBAY in its environment, so the programs that it
  starts are traced too, each into its own file. Static programs, and those for
  another C library, such as musl, or for another architecture run untraced,
  with all they start. A warning names them. A shared AddressSanitizer stays
  first in LD_PRELOAD.

OUTPUT DIRECTORY:
  An earlier recording in DIR is renamed to DIR.old. If DIR holds a file that
  patchbay did not write, or if another recording still writes to DIR or
  DIR.old, PROG is not run. DIR is created with mode 0700 and its files with
  mode 0600. An existing empty DIR keeps its mode: processes of other users
  write to it if its mode lets them.

  Events survive a crash or SIGKILL of PROG. This command writes those of busy
  threads, which use up to 64 MB of memory together, within a tenth of a second.
  Programs map these files: truncating one kills its program by SIGBUS; deleting
  one is harmless. In tmpfs, such as /dev/shm, a file counts as memory of the
  program's control group: a warning says so, and --max-size limits it. Events
  of all threads and processes are sorted by the processor's clock.

ATTACHING TO A PROCESS:
  -p records process PID from now on, until Ctrl-C or until the command after
  -- ends. The process needs no preparation. Requirements: you may debug it
  (ptrace(2)), and its user may write to DIR; root gives a new DIR to that
  user. A process in a container or in another root directory writes to its own
  /tmp, /var/tmp or /dev/shm; this command copies the files to DIR at the end.

  One thread of the process stops for about 0.2 ms, while a new thread loads
  the runtime. At the end, or ten seconds after this command is killed, the
  process has the runtime's libraries, but no thread, no descriptor and no
  armed function of it. Its C library keeps the ended thread's stack and heap
  for later threads: 72 MB of address space, and as much of RLIMIT_DATA as
  'ulimit -s' says. --follow also records children. Without it a line says how
  many run when the recording starts or ends; others may have run in between.
  The runtime is not prepared for setuid(2), chroot(2), seccomp(2), syscall user
  dispatch and longjmp(3) during an attached recording, as it is in programs
  that this command runs.

CHILDREN AND DAEMONS:
  A forked child adds its counts to its parent's file. It writes events to a
  file of its own, which the reader combines with its parent's: keep the files
  of a recording together. Children are recorded by default; --follow is for
  -p.

  A process that changes its user or calls chroot(2) is still recorded and
  controlled. If it cannot create files any more, 16 files made earlier serve
  its descendants. Events that find no file are counted as lost. Programs that
  it starts are not traced unless its user may write to DIR.

SANDBOXES AND THE LISTENING THREAD:
  --live, --max-rate, --max-overhead and --rotate-* start another thread in
  PROG and in its forked children. Then PROG must not call functions that need a
  single thread, such as unshare(2). The listening thread keeps capabilities
  that PROG drops by capset(2). It ends when PROG restricts its system calls
  (seccomp) or files (Landlock): control, rotation and limits end with it. In a
  program with two threads fork(2) waits for malloc(3)'s locks, so a handler
  that forks after a crash within malloc(3) hangs.

  The runtime notices a seccomp filter that PROG installs by the C library. It
  does not notice one that PROG installs by its own system call instruction, as
  Go and Chromium do. If such a filter kills, it kills PROG at an event. Record
  such programs with -t count, which makes no system call, or turn the sandbox
  off.

SELECTING CALLS:
  --under records calls only within a call of the given functions, at any
  depth, and these calls themselves if -F selects them. --depth counts from
  there. On x86-64 other calls cost one check and no clock reading. Threads
  started within such a call are not included. With -p recording starts at the
  next call of the functions; if longjmp(3) leaves that call, recording stops
  when a function above it makes its next call.

  --thread compares the name that a thread has at its traced call. Other
  threads use no space. A thread that is renamed is noticed within 10 us to 10
  ms, the younger the sooner. A warning says which GLOB matched no thread.

  --sample chooses among outermost calls, those that are within no other traced
  call; with --under, among calls of its functions. It records a chosen call
  with all calls inside, so self times are right. If main() is traced it is the
  only outermost call of its thread: use --under. With -t entry, --sample
  chooses among all calls. It counts the calls that it does not record, for a
  few nanoseconds each. 'patchbay report' shows the counts in the column
  "made", and times of recorded calls only, without scaling. Choose an odd N if
  short and long calls alternate.

TIMES OF CALLS:
  Duration (and any tracer with --threshold) writes a call when it ends. So a
  call that is still running at the end is missing. So is a call that ends in
  another way than by return, longjmp(3) or an exception: a Go panic through C
  code, __builtin_longjmp(), the program's own unwinder, an abandoned fiber.
  The report counts these, except in a process that a signal killed. Graph
  without --threshold records the start of each call, and counts calls without
  an end.

  A timed call (duration, graph, --histogram) uses about 300 bytes more stack
  until it returns (ppc64le: 560), or 850 if its result is in a vector register
  (AArch64: 450, ppc64le: 870). A recursion of 28,000 levels exceeds the usual
  8 MB by that alone: limit it by --depth (x86-64) or -N, or raise 'ulimit -s'.
  Entry and count use no stack while the function runs. Reading arguments uses
  500 bytes at the start or end of a call, so fibers of 4 KB are large enough.

  --no-sleep-time leaves off-CPU time out of durations and of --threshold. Each
  thread has one page of perf_event_open(2), which says whether the thread was
  off its processor; only then one system call asks for how long. If
  perf_event_open(2) is refused, each start and end of a call costs a system
  call: 'patchbay info' shows which form was used. 'patchbay replay' and
  timelines show wall-clock times.

WHY A CALL WAS SLOW:
  --why DURATION records, for calls of at least DURATION, the stack trace and
  when the thread was off-CPU, and whether it was runnable then. The kernel
  records this in one ring per thread (perf_event_open(2)), of 8 or 36 KB,
  limited by perf_event_mlock_kb. With perf_event_paranoid of 1 or less, or
  CAP_PERFMON, the recording has kernel stack traces, too. Without perf events
  it has the total off-CPU time since the thread's last slow call.

  Stack traces use unwind tables, so no frame pointers are needed; 16 KB of
  stack are stored per slow call. A slow call costs about 40 us and 20 KB of
  the file, at most --buffer per process, or half of --max-memory. Other calls
  cost no more than before. 'patchbay info' says what was available; replay,
  report, outliers and dump show it. For a thread's first recorded call only a
  lower bound is known.

OVERHEAD LIMITS:
  --max-rate and --max-overhead count each traced call, for about 10 ns. Ten
  times a second they disarm the functions that were called too often. They
  stop working when PROG restricts its system calls (seccomp). --max-overhead
  first measures, in about 20 ms, what a call costs with these options on this
  machine; the first milliseconds of PROG are not limited. Disarmed functions
  are armed again after a second with enough headroom, expensive ones later and
  less often. At most half of the budget goes to --why; 'patchbay info' counts
  the slow calls that exceed it. 'patchbay status' shows the current cost.

ROTATION AND SIZE LIMITS:
  With --rotate-size and --rotate-every a process writes PID.pbd. This command
  renames it to PID.TIME.pbd when it is complete, such as
  42.20260131T235959.999Z.pbd (UTC). Files with such a name are complete: a
  collector may take them, and 'patchbay report -i' reads a directory of some of
  them. Other files in DIR are neither renamed nor removed, and do not count for
  --keep and --max-size. No event is lost between two files. With graph a call
  that spans two files is in both, in the first one as a call without an end. A
  process that records nothing begins no further file. Rotation ends when PROG
  restricts its system calls or changes its user: then the last file grows.

  --max-size limits the disk space of all files together, including those of
  children and started programs. With -p each process of another user, or in
  another root directory, gets an equal part of it for itself and its children.
  Events that exceed the limit are lost and counted. With rotation the oldest
  file is removed instead, as with --keep.

ARGUMENTS:
  --args 'parse(name, req->uri, retval)' reads types from debug information: of
  PROG and the libraries it needs, compiled with -g or with separate debug
  files. If none of these has the function, libraries that PROG may load later
  are read: those named by its arguments and string constants, beside it, in
  LD_LIBRARY_PATH or in its run path. A line at the end names functions that
  were not found.

  Recorded types: integers, bool, char, enumerations (by name), C strings,
  std::string, std::string_view, Rust's &str and String, arrays of char, members
  by -> and ., and the result (retval). Strings are cut at 64 bytes. '*' selects
  all arguments that can be read; a warning lists the others. A name that no
  selected function has is an error: the program does not run, and the status is
  125. Values are those at the start of the call. Memory is read by a system
  call of at most 1 us per pointer, so wrong pointers are harmless: unreadable
  memory is shown as <unreadable>, and as <not read> if a filter of system calls
  was active when PROG began. Floating-point arguments are read on x86-64 only.
  Arguments without a location in the debug information are refused. Callers may
  not pass arguments that the function does not use: a warning names them, and
  their values are shown as <unused: VALUE>.

  --when leaves out calls whose arguments do not meet CONDITION; 'patchbay
  info' counts them. Calls with unreadable arguments are kept. The condition
  applies to those functions of --args that have the argument.

  patchbay_mark("frame") and patchbay_value("queue", n) of <patchbay/mark.h> are
  recorded, too, unless -N excludes them or arguments cannot be (-t count).

  --args GLOB without names records integer registers in order; a structure may
  use two. Those of unused arguments may hold any value. The types are unknown:
  small numbers are shown in decimal, others in hexadecimal. Of floating-point
  registers only results are recorded: as float if the upper half is zero, else
  as double. 'patchbay replay' and 'patchbay dump' show arguments.

NAMES:
  GLOB is compared with demangled names, and with mangled names without
  compiler suffixes, too: 'parse' selects parse.llvm.1527, parse.cold and
  _ZL5parsei.__uniq.7. <patchbay/names.h> lists all suffixes. In modules that
  PROG loads later, and in programs it starts, the runtime compares the names.
  A line at the end says which GLOB no function matched. Names of a stripped
  file are read from its debug file: by build id in /usr/lib/debug, by
  .gnu_debuglink, or from DEBUGINFOD_URLS, for PROG and the libraries it needs.

  The recording stores the names of traced functions, so files may be removed
  or replaced later. This needs 14 to 27 bytes per function: 13 KB for Lua with
  643 functions, 104 KB for redis-server with 3,900. Forked children refer to
  their parent's names. --no-names leaves names out.

ENVIRONMENT:
  A program that another program starts, such as a service manager, is traced
  if LD_PRELOAD names libpatchbay-trace.so and PATCHBAY is a list of
  NAME=VALUE, separated by commas; a backslash makes a comma part of a value.
  tracer and output are required, and filter unless args or live is there. When
  the program ends, it prints on standard error which GLOB no function matched.
    tracer    as -t, --tracer
    output    directory for data files, which exists
    filter    as -F; may be repeated
    notrace   as -N; may be repeated
    args      as --args; may be repeated
    thread    as --thread; may be repeated
    under, start-at, stop-at
              as the options above; may be repeated
    threshold, why, trace-context, depth, sample, max-rate, max-overhead,
    max-memory, histogram=1, sleep-time=0, names=0, buffer, overwrite=1,
    live=1
              as the options above; sleep-time=0 as --no-sleep-time,
              names=0 as --no-names
    call-cost cost of a traced call for max-overhead, in ps (60000)
  live, max-rate and max-overhead need libpatchbay-live.so in LD_PRELOAD
  instead. It has a thread; libpatchbay-trace.so only records. max-size,
  rotate-size, rotate-every and keep need this command, which removes files.

EXIT CODES:
  The status of PROG, or 128+N if signal N killed it, even if events were lost.
  With -p, and when the time of --for was up, 0. Or
  125  patchbay failed before it ran PROG, or recorded PID, wrong usage included
  126  PROG cannot be executed
  127  PROG cannot be found
)";


//===----------------------------------------------------------------------===//
// Options of the tracer
//===----------------------------------------------------------------------===//

// Passes an early moment to the traced process: the longer the interval since then, the
// more exact is the process's estimate of the counter's rate.
static std::string clockOption() {
  pb_moment Now = pb_moment_now();
  return ",clock=" + utostr(Now.ticks) + "/" + utostr(Now.monotonic_ns);
}

// Can readers subtract the cost of tracing? Every call must be in the file, and must have
// the same cost.
static bool isCostKnown() {
  return (Opts.Tracer == RecordOptions::FunctionDuration ||
          Opts.Tracer == RecordOptions::FunctionGraph) &&
         !Opts.Threshold.given() && !Opts.Depth && Opts.Sample.empty();
}

// Measures the cost of a call, for --max-overhead and for readers. If the measurement fails,
// `record` continues, and `report` prints that the cost is unknown.
static Expected<std::string> costOptions(const ElfImage &TracerImage, bool HasArena) {
  const bool HasBudget = !Opts.MaxOverhead.empty();
  if (!HasBudget && !isCostKnown())
    return "";
  std::string How = Opts.how() + ",names=0,buffer=64M";
  // Set a budget that the probe never reaches.
  if (HasBudget)
    How += ",live=1,max-overhead=" + utostr(PB_OVERHEAD_MAX / 100) + "%";
  if (HasBudget && !Opts.ArgsOf.empty())
    How += ",args=probe_*";
  auto Cost = measureCallCost(TracerImage.path(), How, HasArena);
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
    // Pass thousands of symbols as exact names, which are cheap to match.
    StringRef Name = StringSwitch<StringRef>(S.Name)
                         .Case("filter", "symbol")
                         .Case("notrace", "notrace-symbol")
                         .Default(S.Name);
    for (const std::string &Symbol : S.Symbols)
      Options += ("," + Name + "=" + escapeOption(Symbol)).str();
  }
  return Options + Opts.limits();
}

// The requested functions, and the advice for a program that has none of them.
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
             StringRef(Text).contains('[')) // a glob may contain a single bracket
      Untyped.push_back(Text);
    else
      return makeError(Usage, "--args: '" + Text +
                                  "': unbalanced parenthesis: arguments are named as in "
                                  "'parse(name, len)'");
  if (Error E = parseConditions(Opts.When).moveInto(W.Typed.Conditions))
    return std::move(E);
  W.Typed.WithMarks = Opts.takesTypedArguments();
  // function_graph records the entry before the call has a result.
  if (Opts.Tracer == RecordOptions::FunctionGraph && !Opts.Threshold.given())
    for (const TypedCondition &C : W.Typed.Conditions)
      if (StringRef(C.Path).starts_with("retval"))
        return makeError(Usage, "--when '" + C.Text +
                                    "': -t graph records entries before the result is "
                                    "known: choose -t duration, or add --threshold");
  std::vector<std::string> Given(Opts.Globs.begin(), Opts.Globs.end());
  if (Given.empty())
    Given.push_back("*");
  W.Selections.emplace_back("filter", std::move(Given));
  W.Selections.emplace_back("notrace", Opts.NoTrace);
  W.Selections.emplace_back("args", std::move(Untyped));
  W.Selections.emplace_back("under", Opts.Under);
  W.Selections.emplace_back("start-at", Opts.StartAt);
  W.Selections.emplace_back("stop-at", Opts.StopAt);
  W.OrElse = Opts.Force ? "code that the program loads or starts later is traced"
                        : "--force records code that the program loads or starts later";
  return W;
}

// Gives advice if SIGSEGV killed the program, since timing needs additional stack
// (<patchbay/exit.h> has the figures). Whether the stack was full cannot be determined after
// the process has ended.
static void sayWhatTimingTakes(int Status) {
  if (Opts.isTimed() && WIFSIGNALED(Status) && WTERMSIG(Status) == SIGSEGV)
    errs() << "patchbay: a timed call uses 300 to 850 bytes more stack: if a deep "
              "recursion overflowed it, use --depth or -N, or raise ulimit -s\n";
}

// With --overwrite, processes reuse blocks and write their files themselves.
static bool hasArena() { return !Opts.Overwrite; }

// Limits and rotation need the recorder even without its blocks: the arena counts the size
// of all files, and the recorder's thread continues in the background.
static bool needsRecorder(const RecordingLimits &Limits) {
  return hasArena() || Limits.MaxSize || Limits.Rotates;
}

static Expected<int> recordRunning(std::vector<pid_t> Named, ArrayRef<const char *> Args,
                                   StringRef Clock, const RecordingLimits &Limits) {
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

  auto TracerImage = openTracer(TracerKind::Listens);
  if (!TracerImage)
    return TracerImage.takeError();
  auto Cost = costOptions(*TracerImage, hasArena());
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
                          Opts.Follow, Opts.Force, needsRecorder(Limits), Limits, Opts.For},
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
    return makeError("no program to run: put it last, as in 'patchbay record -F GLOB -- "
                     "PROG ARGS'; or name a process with -p PID");
  auto Limits = Opts.read();
  if (!Limits)
    return Limits.takeError();
  std::string Clock = clockOption();
  if (Opts.Output.empty())
    return makeError("-o: the directory name is empty");
  if (Opts.Delay.given() && !IsRunning)
    return makeError(Usage, "--delay needs a running process: -p PID");
  if (Opts.For.given() && !uint64_t(Opts.For))
    return makeError(Usage, "--for: the duration is 0: nothing would be recorded");
  if (Opts.Delay.given())
    std::this_thread::sleep_for(std::chrono::nanoseconds(Opts.Delay));
  if (IsRunning)
    return recordRunning(*Named, Args, Clock, *Limits);
  if (Opts.Follow)
    return makeError(Usage, "--follow needs -p: children that PROG forks are always "
                            "recorded");
  auto Path = findProgram(Args.front());
  if (!Path)
    return Path.takeError();
  auto Program = openProgram(*Path);
  if (!Program)
    return Program.takeError();
  if (Error E = checkLibc(*Program))
    return E;
  // These options need a thread of the runtime in the program.
  const bool Listens = Opts.Live || !Opts.MaxRate.empty() || !Opts.MaxOverhead.empty() ||
                       Limits->Rotates;
  if (Listens)
    if (Error E = checkOwnThread(*Program))
      return E;
  auto TracerImage = openTracer(Listens ? TracerKind::Listens : TracerKind::Records);
  if (!TracerImage)
    return TracerImage.takeError();

  Wanted W;
  if (Error E = wanted().moveInto(W))
    return std::move(E);
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

  auto Cost = costOptions(*TracerImage, hasArena());
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
  std::optional<Recorder> Arena;
  if (needsRecorder(*Limits))
    *Options += Arena.emplace(Dir->descriptor(), Limits->Rotates).option();
  *Options += Limits->option() + (Unmatched.empty() ? ",checked=1" : ",checked=later");
  auto Given = withOutput(*Options, Dir->descriptor(), Dir->path(), unsigned(getpid()));
  if (!Given) {
    Dir->undo();
    return Given.takeError();
  }
  if (Error E = Dir->writeCommand())
    warn(Opts.Output + ": the command line was not saved: " + toString(std::move(E)));
  setenv("LD_PRELOAD", preloadList(*Program, TracerImage->path()).c_str(), /*overwrite=*/1);
  setenv("PATCHBAY", Given->c_str(), /*overwrite=*/1);

  Rotation Files(Dir->path(), *Limits, Arena ? &*Arena : nullptr);
  Files.start();
  auto Status = runProgram(*Path, Args, Opts.For);
  Files.stop();
  if (Arena) {
    Arena->finish([&] { return Files.look(); });
    Arena->sayUnwritten(Opts.Output);
  }
  if (!Status) {
    Dir->undo();
    return Status.takeError();
  }
  const int Code = exitCode(Args.front(), *Status);
  sayWhatTimingTakes(*Status);
  if (Opts.isTimed() && !Opts.NoSleepTime)
    sayIfPreempted(Args.front(), *Dir, Opts.Output);
  sayWhatWasNotFound(*Dir, Opts.Output, Unmatched, W.Typed.unmatchedRequests());
  sayWhatWasRecorded(Args.front(), *Dir, Opts.Output, Opts.Threads, *Limits, Files.finish());
  return Code;
}

const Verb patchbay::RecordVerb = {Table, Help, runRecord};
