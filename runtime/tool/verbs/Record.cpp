// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay record`: runs a program with the tracer preloaded.
#include "LimitOptions.h"
#include "Verb.h"
#include "attach/ProcessChoice.h"
#include "moment.h"
#include "options.h"
#include "recording/CallCost.h"
#include "recording/OutputDir.h"
#include "recording/Program.h"
#include "recording/RecordProcess.h"
#include "recording/RecordSummary.h"
#include "recording/RunProgram.h"
#include "recording/Selection.h"
#include "recording/TracerLibrary.h"
#include "tracers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>

using namespace llvm;
using namespace patchbay;

namespace {
enum TracerT { FunctionProfile, Function, FunctionDuration, FunctionGraph };
}

static cl::SubCommand RecordCommand("record",
                                    "Run a program, or take one that runs, and "
                                    "trace its functions");
// For the usage line. Main.cpp has taken the program off the command line.
static cl::list<std::string> ProgramUsage(cl::Positional,
                                          cl::desc("-- PROG [ARGS...]"),
                                          cl::sub(RecordCommand),
                                          cl::cat(ToolOptions));
static cl::list<std::string>
    Globs("F", cl::Prefix, cl::value_desc("GLOB"), cl::sub(RecordCommand),
          cl::cat(ToolOptions),
          cl::desc("Trace only functions whose name matches, mangled or "
                   "demangled, with or without parameters; may be repeated"));
static cl::list<std::string>
    NoTrace("N", cl::Prefix, cl::value_desc("GLOB"), cl::sub(RecordCommand),
            cl::cat(ToolOptions),
            cl::desc("But not functions whose name matches; may be repeated"));
static cl::list<std::string>
    ArgsOf("args", cl::value_desc("GLOB"), cl::sub(RecordCommand),
           cl::cat(ToolOptions),
           cl::desc("Trace functions whose name matches, too, and record "
                    "their arguments and results; with names behind it, as in "
                    "'parse(name, req->uri, retval)' or 'parse(*)', these by what "
                    "debug information says of their types; not with "
                    "function_profile or --depth; may be repeated"));
static cl::list<std::string>
    When("when", cl::value_desc("CONDITION"), cl::sub(RecordCommand),
         cl::cat(ToolOptions),
         cl::desc("Of functions that --args names with their arguments, record only "
                  "calls for which this holds, as 'len > 4096 && name == \"x\"'; "
                  "may be repeated"));
static cl::list<std::string>
    Under("under", cl::value_desc("GLOB"), cl::sub(RecordCommand),
          cl::cat(ToolOptions),
          cl::desc("Record only calls that are made within a call of a function "
                   "whose name matches, and those of it; may be repeated"));
static cl::opt<std::string> TraceContext(
    "trace-context", cl::value_desc("WHERE"), cl::sub(RecordCommand),
    cl::cat(ToolOptions),
    cl::desc("Of functions of --args, record which trace a call is part of: a W3C "
             "traceparent, to which an argument points, arg0 to arg5, or a thread-local "
             "variable of the program, tls:NAME; 'patchbay dump --otlp' puts its spans "
             "there"));
static cl::list<std::string>
    Threads("thread", cl::value_desc("GLOB"), cl::sub(RecordCommand),
            cl::cat(ToolOptions),
            cl::desc("Record only threads whose name matches, or whose id it "
                     "is; may be repeated"));
static cl::list<std::string>
    Processes("p", cl::Prefix, cl::value_desc("PID"), cl::sub(RecordCommand),
              cl::cat(ToolOptions),
              cl::desc("Record this process, which runs already, in the place "
                       "of PROG; may be repeated"));
static cl::list<std::string>
    Comms("comm", cl::value_desc("NAME"), cl::sub(RecordCommand),
          cl::cat(ToolOptions),
          cl::desc("All processes of this name, as 'ps -o comm' shows it; may "
                   "be repeated"));
static cl::list<std::string>
    Units("unit", cl::value_desc("NAME"), cl::sub(RecordCommand),
          cl::cat(ToolOptions),
          cl::desc("All processes of this unit of systemd; may be repeated"));
static cl::list<std::string>
    Cgroups("cgroup", cl::value_desc("PATH"), cl::sub(RecordCommand),
            cl::cat(ToolOptions),
            cl::desc("All processes in this control group, and below it; may "
                     "be repeated"));
static cl::opt<bool>
    Follow("follow", cl::sub(RecordCommand), cl::cat(ToolOptions),
           cl::desc("And what they have forked, and fork while they are "
                    "recorded"));
static cl::opt<TracerT> Tracer(
    "t", cl::Prefix, cl::value_desc("TRACER"), cl::init(FunctionProfile),
    cl::sub(RecordCommand), cl::cat(ToolOptions), cl::desc("What to record"),
    cl::values(clEnumValN(FunctionProfile, "function_profile",
                          "how often functions are called (default)"),
               clEnumValN(Function, "function",
                          "an event for each call, when it begins"),
               clEnumValN(FunctionDuration, "function_duration",
                          "an event for each call, with how long it took"),
               clEnumValN(FunctionGraph, "function_graph",
                          "the same, and one when it begins: calls that have "
                          "not returned are there")));
static cl::alias GlobsLong("filter", cl::aliasopt(Globs), cl::cat(ToolOptions),
                           cl::desc("Same as -F"));
static cl::alias NoTraceLong("notrace", cl::aliasopt(NoTrace), cl::cat(ToolOptions),
                             cl::desc("Same as -N"));
static cl::alias TracerLong("tracer", cl::aliasopt(Tracer),
                            cl::cat(ToolOptions), cl::desc("The same"));
static cl::opt<std::string> Threshold(
    "threshold", cl::value_desc("TIME"), cl::sub(RecordCommand),
    cl::cat(ToolOptions),
    cl::desc("Drop calls that take less; with ns, us, ms or s, and us "
             "if there is no unit"));
static cl::opt<std::string> Why(
    "why", cl::value_desc("TIME"), cl::sub(RecordCommand), cl::cat(ToolOptions),
    cl::desc("Of calls that take as long, record why: who called the function, and when "
             "and for what the thread was off the processor; for function_duration and "
             "function_graph, and not with --no-sleep-time"));
static cl::opt<bool>
    Histogram("histogram", cl::sub(RecordCommand), cl::cat(ToolOptions),
              cl::desc("With function_profile, count how long calls take, too: "
                       "of each function and thread, by powers of two"));
static cl::opt<bool> NoSleepTime(
    "no-sleep-time", cl::sub(RecordCommand), cl::cat(ToolOptions),
    cl::desc("Durations, and what --threshold says, are without the time that "
             "the thread was not on a processor; not with -t function, --depth "
             "or --args"));
static cl::opt<bool> NoStores(
    "no-stores", cl::sub(RecordCommand), cl::cat(ToolOptions),
    cl::desc("Before main(), too, change code only as it is changed while other "
             "threads execute it, not by stores: takes some milliseconds more"));
static cl::opt<std::string> MaxRate(
    "max-rate", cl::value_desc("N"), cl::sub(RecordCommand),
    cl::cat(ToolOptions),
    cl::desc("Disarm functions that are called more than N times a second, by all "
             "threads together, also by calls that --threshold drops; they are named "
             "at the end. PROG listens for 'patchbay live', too"));
static cl::opt<std::string> MaxOverhead(
    "max-overhead", cl::value_desc("PERCENT"), cl::sub(RecordCommand),
    cl::cat(ToolOptions),
    cl::desc("Let tracing take no more than so much of the processor time that PROG "
             "takes for itself: the functions that are called most are disarmed until "
             "it does not, and named at the end. PROG listens for 'patchbay live', "
             "too"));
static cl::opt<unsigned>
    Depth("depth", cl::value_desc("N"), cl::sub(RecordCommand),
          cl::cat(ToolOptions),
          cl::desc("Record calls only that are within fewer than N calls of "
                   "functions that are traced; up to 64. On x86-64 the others "
                   "take no more of the stack, so that a deep recursion has "
                   "the room that it has untraced"));
static cl::opt<std::string>
    Sample("sample", cl::value_desc("1/N"), cl::sub(RecordCommand),
           cl::cat(ToolOptions),
           cl::desc("Record, of the calls that a thread makes of a function, the "
                    "first and each N-th behind it, and count the others; not with "
                    "function_profile, --depth or --no-sleep-time"));
static cl::opt<std::string>
    Buffer("buffer", cl::value_desc("SIZE"), cl::sub(RecordCommand),
           cl::cat(ToolOptions),
           cl::desc("Events to keep of each thread, in bytes; with K, M or G, "
                    "from 4K to 1024G (default: 256M, of 24 bytes per event)"));
static LimitOptions LimitsGiven(RecordCommand);
static cl::opt<bool>
    Overwrite("overwrite", cl::sub(RecordCommand), cl::cat(ToolOptions),
              cl::desc("When the buffer is full, drop the oldest events "
                       "instead of the next ones; a new thread goes on in the "
                       "buffer of one that has ended, if there is one"));
static cl::opt<bool>
    Live("live", cl::sub(RecordCommand), cl::cat(ToolOptions),
         cl::desc("Let 'patchbay live' change what is traced while PROG runs"));
static cl::list<std::string>
    StartAt("start-at", cl::value_desc("GLOB"), cl::sub(RecordCommand),
            cl::cat(ToolOptions),
            cl::desc("Record no events before a function is called whose name "
                     "matches; may be repeated"));
static cl::list<std::string>
    StopAt("stop-at", cl::value_desc("GLOB"), cl::sub(RecordCommand),
           cl::cat(ToolOptions),
           cl::desc("Record no events once a function is called whose name "
                    "matches; may be repeated"));
static cl::opt<std::string>
    Output("o", cl::Prefix, cl::value_desc("DIR"), cl::init(DefaultDataDir),
           cl::sub(RecordCommand), cl::cat(ToolOptions),
           cl::desc("Directory to write (default: patchbay.data)"));
static cl::alias OutputLong("output", cl::aliasopt(Output), cl::cat(ToolOptions),
                            cl::desc("Same as -o"));
static cl::alias DepthShort("D", cl::Prefix, cl::aliasopt(Depth),
                            cl::cat(ToolOptions), cl::desc("Same as --depth"));
static cl::opt<bool>
    Force("force", cl::sub(RecordCommand), cl::cat(ToolOptions),
          cl::desc("Run PROG even if there is nothing to trace in it yet, for "
                   "modules that it loads and programs that it starts later"));

static constexpr char Help[] = R"(
  PROG and the libraries it needs are looked through first; if none has a
  function to trace, or -N leaves out all of them, PROG is not run and nothing is
  written. A warning says which GLOB of -N no function matches. An earlier
  recording in DIR is moved to DIR.old. If something is still being recorded in
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
  starts are traced too, each into a file of its own. The child of a fork adds its
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
  gives up by capset(2), until it ends.

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
  function runs.

  With --under a call is recorded while its thread is in a call of one of these functions,
  however deep, and so are these calls themselves, if -F selects the functions. --depth
  counts from there. On x86-64 other calls take no more than a look at that: no time is
  measured. Threads that are started within such a call are not followed. With -p a call
  that had begun before is not known: recording begins with the next one. If longjmp(3)
  leaves it in a process of -p, it ends with the next call of a function that is above it.

  With --threshold, and with function_duration in any case, a call is written down when
  it ends, since it is not known before whether it takes that long. So a call that has
  not ended when the recording does is not in it; function_graph without --threshold
  has it, from its beginning.

  With --why TIME it is recorded of each call that took TIME or more, when it has ended,
  what it waited for: when its thread left the processor and came back, and whether it
  could have run meanwhile, which the kernel writes down by itself (perf_event_open(2), a
  ring of each thread, of 8 KB or 36 KB; perf_event_mlock_kb limits them all). Who may look
  at the kernel (perf_event_paranoid of 1 or less, or CAP_PERFMON) is told where in the
  kernel the thread was, too. Elsewhere it is known at least for how long the thread was
  off, by its processor time since its last slow call. 16 KB of the stack are kept, and
  who called is found by unwind tables when the recording is read, so no frame pointers
  are needed. Such a call takes some 40 us more and 20 KB of the file, up to --buffer for
  the process; others make no system call, and take no more than before. 'patchbay info'
  says what was known, and why no more; 'patchbay replay', 'report', 'outliers' and 'dump'
  show it. Of a thread's first recorded call only the least time is known.

  With --max-rate and --max-overhead each call of a function that is traced takes some
  10 ns more, to be counted, and ten times a second those functions are disarmed that
  were called too often since the last time. So what is left to pay is limited. It ends
  where PROG restricts its system calls (seccomp). For --max-overhead it is measured at
  the beginning, in some 20 ms, what a call costs on this machine with this tracer and
  these options; the first tenth of a second costs what it costs. 'patchbay status' shows
  what tracing costs by this reckoning.

  With --sample a call that is not recorded takes a few nanoseconds, to be counted.
  'patchbay report' shows how often each function was called ("made"), and times of the
  calls that were recorded: nothing is scaled. Where calls of a function take turns at
  being short and long, take an odd N. What is slower than 'patchbay live --slower' is
  seen only of calls that are recorded.

  With --rotate-size and --rotate-every a process writes one file after the other: PID.pbd
  until then, and when nobody writes to it any more it is PID.TIME.pbd with the time of its
  end, as 42.20260131T235959.999Z.pbd (UTC). So a collector takes files of such names, which
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

  While a process has one thread its code is changed by stores: it is writable then,
  and not executable, so it is never both. Where that is not allowed (PR_SET_MDWE,
  SELinux, any filter of system calls, as most containers have), and where there are
  more threads, it is changed as 'patchbay live' does it; --no-stores does so from the
  start.

  With --args 'parse(name, req->uri, retval)' debug information is read (of PROG and the
  libraries it needs; -g, or where debuggers find it): numbers, bool, char, enumerations by
  name, texts that end with NUL, std::string, arrays of char, members behind pointers by ->
  and . , and the result, which is called retval; at most 64 bytes of a text. '*' is all of
  them. They are those of the moment when the call begins. What lies in memory the kernel
  is asked for, by one system call of a microsecond or less for each pointer, so that a wrong pointer
  harms nobody: what cannot be read is shown as <unreadable>, and where a filter of system calls
  was in force when PROG began, as <not read>. Floating-point arguments are read on x86-64
  only. What the compiler has removed, or does not say where it is, is refused.

  Calls for which --when does not hold are left out, and counted: 'patchbay info' shows
  how many. What cannot be read is not left out. It holds for those functions of --args
  that have such an argument. Numbers in registers are compared where they are.

  With --args GLOB alone arguments are those in integer registers, in their order; a
  structure may take two. Of what types they are is not known: small numbers are shown in
  decimal, others in hexadecimal. What floating-point registers hold is known of results
  only: a float if the upper half of the register is zero, else a double.
  'patchbay replay' and 'patchbay dump' show arguments.

  Demangled names, of options that take GLOB, are looked up in PROG and the libraries it
  needs at its start. In modules that it loads later, and in programs that it
  starts, they are matched if these have a C++ library (libstdc++ or libc++abi, not
  linked statically); elsewhere GLOB matches names as they are in the symbol table.

  Where the compiler has appended to the name of a function, GLOB matches the name
  with and without that: 'parse' selects parse.llvm.1527 of ThinLTO, parse.cold and
  _ZL5parsei.__uniq.7, too; <patchbay/names.h> has them all.

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
    threshold, why, trace-context, depth, max-rate, max-overhead, histogram=1, sleep-time=0, stores=0,
    buffer, overwrite=1, live=1, start-at, stop-at
              as the options above (max-rate and max-overhead take live=1, too);
              sleep-time=0 as --no-sleep-time, stores=0 as --no-stores
    call-cost what max-overhead takes a traced call for, in picoseconds (60000)

EXAMPLES:
  patchbay record -- ./server --port 80
  patchbay record -F 'lua_*' -F 'luaV_execute' -- lua fib.lua
  patchbay record -F 'Cache::*' -o cache.data -- ./server
  patchbay record --histogram -F 'http_*' -- ./server
  patchbay record -t function_duration --threshold 200us -- ./server
  patchbay record -t function_duration --no-sleep-time -- ./server
  patchbay record -t function_duration --threshold 1ms --why 10ms -- ./server
  patchbay record -t function_graph --thread 'worker-*' -- ./server
  patchbay record -t function_graph --args 'http_*' -- ./server
  patchbay record -t function_duration --args handle --trace-context arg1 -- ./server
  patchbay record -t function -F 'lua_*' --buffer 4M --overwrite -- lua fib.lua
  patchbay record -t function --start-at parse --stop-at emit -- ./compiler x.c
  patchbay record --force -F 'plugin_*' -- ./host plugin.so
  patchbay record --force -- ./run-server.sh
  patchbay record -p $(pgrep -o nginx) -t function_duration -- sleep 10
  patchbay record -p $(pgrep -o nginx) -t function_graph --max-overhead 2% -- sleep 60
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

// Linux refuses an environment string of 128 KiB (MAX_ARG_STRLEN); this leaves
// room for the output directory.
static constexpr size_t MaxOptions = 112 * 1024;

//===----------------------------------------------------------------------===//
// What the tracer is told
//===----------------------------------------------------------------------===//

static StringRef nameOf(TracerT Of) {
  switch (Of) {
  case FunctionProfile:
    return "function_profile";
  case Function:
    return "function";
  case FunctionDuration:
    return "function_duration";
  case FunctionGraph:
    return "function_graph";
  }
  llvm_unreachable("all tracers are above");
}

// What runtime/trace/options.c takes.
static bool isPercentage(StringRef Text) {
  Text.consume_back("%");
  auto [Whole, Decimals] = Text.split('.');
  uint64_t Number, Hundredths = 0;
  if (!to_integer(Whole, Number, 10) || Decimals.size() > 2 ||
      (!Decimals.empty() && !to_integer(Decimals, Hundredths, 10)))
    return false;
  if (Number > PB_OVERHEAD_MAX)
    return false;
  Hundredths = Number * 100 + Hundredths * (Decimals.size() == 1 ? 10 : 1);
  return Hundredths >= 1 && Hundredths <= PB_OVERHEAD_MAX;
}

// The same.
static bool isSample(StringRef Text) {
  uint64_t N;
  return Text.consume_front("1/") && to_integer(Text, N, 10) && N >= 1 &&
         N <= PB_SAMPLE_MAX;
}

// A thread's first block has to fit, and a table of all blocks into memory.
static Error checkBuffer() {
  auto Size = parseSize(Buffer);
  if (Size && *Size >= PB_BUFFER_MIN && *Size <= PB_BUFFER_MAX)
    return Error::success();
  return makeError(Usage, "--buffer: '" + Buffer +
                              "' is not a size from 4K to 1024G, a whole number "
                              "with one of the units K, M, G");
}

// What runtime/trace/options.c takes.
static bool isNumber(StringRef Text, ArrayRef<StringRef> Units) {
  uint64_t Number;
  return !Text.consumeInteger(10, Number) && is_contained(Units, Text);
}

static Error checkOptions() {
  if (uint64_t Rate; MaxRate.getNumOccurrences() &&
                     (!to_integer(MaxRate, Rate, 10) || !Rate))
    return makeError(Usage, "--max-rate: '" + MaxRate +
                                "' is not a number from 1 on");
  if (MaxOverhead.getNumOccurrences() && !isPercentage(MaxOverhead))
    return makeError(Usage, "--max-overhead: '" + MaxOverhead +
                                "' is not a percentage from 0.01 to 1000, with two "
                                "decimals at most");
  if (!Buffer.empty())
    if (Error E = checkBuffer())
      return E;
  if (!Threshold.empty() && !isNumber(Threshold, {"", "ns", "us", "ms", "s"}))
    return makeError(Usage, "--threshold: '" + Threshold +
                                "' is not a whole number with one of the units "
                                "ns, us, ms, s");
  if (Why.getNumOccurrences()) {
    uint64_t Time = 0;
    if (StringRef Number = Why; Number.consumeInteger(10, Time) || !Time ||
                                !isNumber(Why, {"", "ns", "us", "ms", "s"}))
      return makeError(Usage, "--why: '" + Why +
                                  "' is not a whole number from 1 on with one of the "
                                  "units ns, us, ms, s");
    if (Tracer != FunctionDuration && Tracer != FunctionGraph)
      return makeError(Usage, "--why is for function_duration and function_graph: "
                              "choose one with -t");
    if (NoSleepTime)
      return makeError(Usage, "--why says when a thread was off the processor, which "
                              "--no-sleep-time leaves out: leave out one of them");
  }
  if (!Threshold.empty() && Tracer == Function)
    return makeError(Usage, "--threshold is for durations, which the tracer "
                            "function does not record: choose another with -t");
  if (!ArgsOf.empty() && (Tracer == FunctionProfile || Depth))
    return makeError(Usage, Twine("--args is for events") +
                                (Depth ? ", and not beside --depth"
                                       : ": choose a tracer of these with -t"));
  if (!When.empty() && ArgsOf.empty())
    return makeError(Usage, "--when is for functions of --args: name them with their "
                            "arguments, as in --args 'parse(name, len)'");
  if (Depth.getNumOccurrences()) {
    if (!Depth || Depth > PB_DEPTH_MAX)
      return makeError(Usage, "--depth takes a number from 1 to " +
                                  Twine(PB_DEPTH_MAX));
    if (Tracer != FunctionDuration && Tracer != FunctionGraph)
      return makeError(Usage, "--depth is for function_duration and "
                              "function_graph: choose one with -t");
  }
  if (Sample.getNumOccurrences()) {
    if (!isSample(Sample))
      return makeError(Usage, "--sample: '" + Sample +
                                  "' is not 1/N, with N from 1 to " +
                                  Twine(PB_SAMPLE_MAX));
    if (Tracer == FunctionProfile)
      return makeError(Usage, "--sample is for events: function_profile counts all "
                              "calls; choose another tracer with -t");
    if (Depth || NoSleepTime)
      return makeError(Usage, "--sample is not for use beside --depth or "
                              "--no-sleep-time: leave out one of them");
  }
  if (NoSleepTime &&
      (Tracer == Function || (Tracer == FunctionProfile && !Histogram)))
    return makeError(Usage, "--no-sleep-time is for durations: choose "
                            "function_duration or function_graph with -t, or "
                            "--histogram");
  if (NoSleepTime && (Depth || !ArgsOf.empty()))
    return makeError(Usage, "--no-sleep-time is not for use beside --depth or "
                            "--args: leave out one of them");
  if (TraceContext.getNumOccurrences()) {
    StringRef Where = TraceContext;
    bool IsArg = Where.consume_front("arg") && Where.size() == 1 && Where[0] >= '0' &&
                 Where[0] <= '5';
    bool IsTls = StringRef(TraceContext).starts_with("tls:") && TraceContext.size() > 4;
    if (!IsArg && !IsTls)
      return makeError(Usage, "--trace-context: '" + TraceContext +
                                  "' is none of arg0 to arg5, or tls:NAME");
    if (ArgsOf.empty())
      return makeError(Usage, "--trace-context is for functions that --args names: name "
                              "some");
  }
  if (!Threads.empty() && Tracer == FunctionProfile && !Histogram)
    return makeError(Usage, "--thread: function_profile counts calls without "
                            "regard to threads: add --histogram, or choose "
                            "another tracer with -t");
  if (Histogram && Tracer != FunctionProfile)
    return makeError(Usage, "--histogram is for function_profile: of events "
                            "'patchbay report --histogram' makes it");
  if (Tracer == FunctionProfile)
    for (const cl::Option *Given :
         std::initializer_list<const cl::Option *>{&Buffer, &Overwrite})
      if (Given->getNumOccurrences())
        return makeError(Usage, "--" + Given->ArgStr +
                                    " is for events, of which "
                                    "function_profile records none: choose "
                                    "another tracer with -t");
  if (Tracer == FunctionProfile && !Histogram)
    for (const cl::Option *Given : std::initializer_list<const cl::Option *>{
             &Threshold, &static_cast<cl::Option &>(StartAt),
             &static_cast<cl::Option &>(StopAt)})
      if (Given->getNumOccurrences())
        return makeError(Usage, "--" + Given->ArgStr +
                                    " does nothing where calls are only "
                                    "counted: choose another tracer with -t, "
                                    "or --histogram");
  return Error::success();
}

// The traced process knows its counter's rate the better the longer ago the
// first moment is, so it is taken first.
static std::string clockOption() {
  pb_moment Now = pb_moment_now();
  return ",clock=" + utostr(Now.ticks) + "/" + utostr(Now.monotonic_ns);
}

// How calls are recorded, whatever functions and threads they are of.
static std::string howOptions() {
  std::string Options = ("tracer=" + nameOf(Tracer)).str();
  if (!Buffer.empty())
    Options += ",buffer=" + Buffer;
  if (!Threshold.empty())
    Options += ",threshold=" + Threshold;
  if (!Why.empty())
    Options += ",why=" + Why;
  if (Histogram)
    Options += ",histogram=1";
  if (NoSleepTime)
    Options += ",sleep-time=0";
  if (NoStores)
    Options += ",stores=0";
  if (Depth)
    Options += ",depth=" + utostr(Depth);
  if (!Sample.empty())
    Options += ",sample=" + Sample;
  if (Overwrite)
    Options += ",overwrite=1";
  return Options;
}

static Expected<std::string> overheadOptions(const ElfImage &TracerImage) {
  if (MaxOverhead.empty())
    return "";
  // Nothing costs that much.
  std::string Counted = ",live=1,max-overhead=" + utostr(PB_OVERHEAD_MAX / 100);
  if (!ArgsOf.empty())
    Counted += ",args=probe_*";
  auto Cost = measureCallCost(TracerImage.path(), howOptions() + Counted);
  if (!Cost)
    return Cost.takeError();
  return ",max-overhead=" + MaxOverhead + ",call-cost=" + utostr(*Cost);
}

static Expected<std::string> tracerOptions(const Wanted &W) {
  std::string Options = howOptions();
  for (const std::string &Typed : W.Typed.options())
    Options += ",typed=" + escapeOption(Typed);
  for (const std::string &Symbol : W.Typed.Untyped)
    Options += ",args=" + escapeOption(Symbol);
  for (const Selection &S : W.Selections) {
    for (const std::string &Glob : S.Globs)
      Options += ("," + S.Name + "=" + escapeOption(Glob)).str();
    // Of these there are thousands, and each filter takes its time.
    StringRef Name = S.Name == "filter" ? "symbol" : S.Name;
    for (const std::string &Symbol : S.Symbols)
      Options += ("," + Name + "=" + escapeOption(Symbol)).str();
  }
  if (!TraceContext.empty())
    Options += ",trace-context=" + escapeOption(TraceContext);
  for (const std::string &Thread : Threads)
    Options += ",thread=" + escapeOption(Thread);
  Options += LimitsGiven.text();
  if (!MaxRate.empty())
    Options += ",max-rate=" + MaxRate;
  if (Live || !MaxRate.empty() || !MaxOverhead.empty())
    Options += ",live=1";
  if (Options.size() > MaxOptions)
    return makeError("the functions that globs match by demangled name fill " +
                     Twine(Options.size()) +
                     " bytes, which the environment cannot hold: use globs for "
                     "mangled names, as in '_ZN5Cache*'");
  return Options;
}

// What to trace, and what becomes of a program in which there is none of it.
static Expected<Wanted> wanted() {
  Wanted W;
  std::vector<std::string> Untyped;
  for (const std::string &Text : ArgsOf)
    if (auto Request = parseTypedRequest(Text))
      W.Typed.Requests.push_back(std::move(*Request));
    else
      Untyped.push_back(Text);
  auto Conditions = parseConditions(When);
  if (!Conditions)
    return Conditions.takeError();
  W.Typed.Conditions = std::move(*Conditions);
  std::vector<std::string> Given(Globs.begin(), Globs.end());
  if (Given.empty())
    Given.push_back("*");
  W.Selections.emplace_back("filter", std::move(Given));
  W.Selections.emplace_back("notrace", NoTrace);
  W.Selections.emplace_back("args", std::move(Untyped));
  W.Selections.emplace_back("under", Under);
  W.Selections.emplace_back("start-at", StartAt);
  W.Selections.emplace_back("stop-at", StopAt);
  W.OrElse = Force ? "what it loads or starts later is traced"
                   : "--force runs it for what it loads or starts later";
  // The tracer itself matches globs there.
  if (!Globs.empty() || !ArgsOf.empty())
    W.OrElse += ", where globs match mangled names only";
  return W;
}

// <patchbay/exit.h> has the figures. Whether the stack was full nobody knows
// here: the process is gone.
static void sayWhatTimingTakes(int Status) {
  bool Timed = Tracer == FunctionDuration || Tracer == FunctionGraph ||
               (Tracer == FunctionProfile && Histogram);
  if (Timed && WIFSIGNALED(Status) && WTERMSIG(Status) == SIGSEGV)
    errs() << "patchbay: each call that is timed takes some 300 to 850 bytes "
              "more of the stack: if a deep recursion used it up, time less of "
              "it (--depth, -N), or give it more (ulimit -s)\n";
}

// -p was the tracer once.
static bool isOldTracer(StringRef Word) {
  for (TracerT Old :
       {FunctionProfile, Function, FunctionDuration, FunctionGraph})
    if (Word == nameOf(Old)) {
      warn("-p " + Word + " is now -t " + Word + ", as -p names a process");
      Tracer.setValue(Old);
      return true;
    }
  return false;
}

// The processes that -p names.
static Expected<std::vector<pid_t>> namedProcesses() {
  std::vector<pid_t> Named;
  for (const std::string &Word : Processes) {
    pid_t Pid = 0;
    if (to_integer(Word, Pid, 10) && Pid > 0)
      Named.push_back(Pid);
    else if (!isOldTracer(Word))
      return makeError(Usage, "-p: '" + Word +
                                  "' is no process ID: that is a number from 1 "
                                  "on; tracers are chosen with -t");
  }
  return Named;
}

static Expected<int> recordRunning(std::vector<pid_t> Named,
                                   ArrayRef<const char *> Args,
                                   StringRef Clock,
                                   const RecordingLimits &Limits) {
  auto Others = chooseProcesses({Comms, Units, Cgroups});
  if (!Others)
    return Others.takeError();
  std::vector<pid_t> First = Named;
  First.insert(First.end(), Others->begin(), Others->end());
  if (Follow)
    for (pid_t Pid : First)
      append_range(*Others, descendants(Pid));
  sort(*Others);
  Others->erase(llvm::unique(*Others), Others->end());
  erase_if(*Others, [&](pid_t Pid) { return is_contained(Named, Pid); });

  auto TracerImage = openTracer();
  if (!TracerImage)
    return TracerImage.takeError();
  auto Overhead = overheadOptions(*TracerImage);
  if (!Overhead)
    return Overhead.takeError();
  if (Error E = wanted().takeError())
    return std::move(E);
  auto What = [] {
    Wanted W = cantFail(wanted());
    W.OrElse = "";
    return W;
  };
  auto Options = [&](const Wanted &W) -> Expected<std::string> {
    auto Text = tracerOptions(W);
    if (Text && (Tracer != FunctionProfile || Histogram))
      *Text += Clock;
    if (Text && Follow)
      *Text += ",follow=1";
    if (Text)
      *Text += *Overhead;
    return Text;
  };
  return recordProcesses(
      {Named, *Others, What, Options, Output, Threads, Follow, Force, Limits},
      Args);
}

static Expected<int> runRecord(ArrayRef<const char *> Args) {
  auto Named = namedProcesses();
  if (!Named)
    return Named.takeError();
  bool IsRunning = !Named->empty() || !Comms.empty() || !Units.empty() ||
                   !Cgroups.empty();
  if (Args.empty() && !IsRunning)
    return makeError("no program to run: put it last, as in 'patchbay record "
                     "-F GLOB -- PROG ARGS'; or name a process with -p PID");
  if (Error E = checkOptions())
    return E;
  auto Limits =
      LimitsGiven.read(/*HasEvents=*/Tracer != FunctionProfile || Histogram);
  if (!Limits)
    return Limits.takeError();
  // What is known of slow calls and of arguments is in one file, of one tracer.
  bool Typed = llvm::any_of(
      ArgsOf, [](StringRef Text) { return parseTypedRequest(Text).has_value(); });
  if ((!Sample.empty() || Limits->Rotates) && (Typed || !Why.empty()))
    return makeError(Usage, Twine(Typed ? "--args with names of arguments" : "--why") +
                                " is not for use beside --sample, --rotate-size or "
                                "--rotate-every: leave out one of them");
  std::string Clock = clockOption();
  if (Output.empty())
    return makeError("-o needs a directory, its name is empty");
  if (IsRunning)
    return recordRunning(*Named, Args, Clock, *Limits);
  if (Follow)
    return makeError(Usage, "--follow is for processes that run already: what "
                            "PROG forks is recorded in any case");
  auto Path = findProgram(Args.front());
  if (!Path)
    return Path.takeError();
  auto Program = openProgram(*Path);
  if (!Program)
    return Program.takeError();
  auto TracerImage = openTracer();
  if (!TracerImage)
    return TracerImage.takeError();

  auto Asked = wanted();
  if (!Asked)
    return Asked.takeError();
  Wanted W = std::move(*Asked);
  if (Error E = checkProgram(*Path, *Program, *TracerImage, W)) {
    if (!Force)
      return E;
    warn(toString(std::move(E)));
  }
  auto Options = tracerOptions(W);
  if (!Options)
    return Options.takeError();

  auto Overhead = overheadOptions(*TracerImage);
  if (!Overhead)
    return Overhead.takeError();
  *Options += *Overhead;

  auto Dir = OutputDir::create(Output);
  if (!Dir)
    return Dir.takeError();
  if (Tracer != FunctionProfile || Histogram)
    *Options += Clock;
  *Options += ",checked=1,output=" + escapeOption(Dir->path());
  std::string Preload = TracerImage->path();
  if (const char *Others = getenv("LD_PRELOAD"); Others && *Others)
    Preload += ":" + std::string(Others);
  setenv("LD_PRELOAD", Preload.c_str(), /*overwrite=*/1);
  setenv("PATCHBAY", Options->c_str(), /*overwrite=*/1);

  auto Status = runProgram(*Path, Args);
  if (!Status) {
    Dir->undo();
    return Status.takeError();
  }
  sayWhatKilled(Args.front(), *Status);
  sayWhatTimingTakes(*Status);
  sayWhatWasRecorded(Args.front(), *Dir, Output, Threads, *Limits);
  return WIFSIGNALED(*Status) ? 128 + WTERMSIG(*Status) : WEXITSTATUS(*Status);
}

const Verb patchbay::RecordVerb = {RecordCommand, Help, runRecord,
                                   /*RunsProgram=*/true};
