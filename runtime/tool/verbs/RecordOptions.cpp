// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordOptions.h"
#include "recording/OutputDir.h"
#include "recording/TypedArgs.h"
#include "support/DurationText.h"
#include "trace/options/options.h"
#include "trace/tracers/tracers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

RecordOptions::RecordOptions(OptionTable &Table)
    : Globs(Table.in("Functions and calls"), "F,filter", "GLOB",
            "Trace only functions whose name matches GLOB, mangled or demangled, with or "
            "without parameters; may be repeated"),
      NoTrace(Table, "N,notrace", "GLOB",
              "Exclude functions whose name matches GLOB; may be repeated"),
      Under(Table, "under", "GLOB",
            "Record only calls within a call of a function whose name matches; may be "
            "repeated"),
      Threads(Table, "thread", "GLOB",
              "Record only threads whose name matches GLOB, or whose ID is GLOB; may be "
              "repeated"),
      ArgsOf(Table, "args", "GLOB",
             "Also trace functions whose name matches, and record their arguments and "
             "results. 'parse(name, req->uri, retval)' and 'parse(*)' use debug "
             "information; may be repeated"),
      When(Table, "when", "CONDITION",
           "Record calls of functions of --args only if CONDITION holds: 'len > 4096 && "
           "name == \"x\"'; may be repeated"),
      TraceContext(Table, "trace-context", "WHERE",
                   "Record the trace context of calls of --args functions: a W3C "
                   "traceparent string in arg0 to arg5, or in the thread-local variable "
                   "tls:NAME. 'patchbay dump --otlp' uses it as the parent of spans"),
      StartAt(Table, "start-at", "GLOB",
              "Record no events before the first call of a function whose name matches; "
              "may be repeated"),
      StopAt(Table, "stop-at", "GLOB",
             "Stop recording events at the first call of a function whose name matches; "
             "may be repeated"),
      Tracer(Table.in("What is recorded"), "t,tracer", "TRACER", "Record calls with this tracer:", FunctionDuration,
             {{"duration", FunctionDuration, "one event per call with its duration (default)"},
              {"count", FunctionProfile, "counts, no events (default with --histogram)"},
              {"entry", Function, "one event at the start of each call"},
              {"graph", FunctionGraph, "two events per call, its start and its end"},
              {"function_duration", FunctionDuration, "same as duration"},
              {"function_profile", FunctionProfile, "same as count"},
              {"function", Function, "same as entry"},
              {"function_graph", FunctionGraph, "same as graph"}}),
      Threshold(Table, "threshold", "Drop calls shorter than DURATION: 200us"),
      Why(Table, "why",
          "For calls of at least DURATION (10ms), record the stack trace and when and why "
          "the thread was off-CPU"),
      Histogram(Table, "histogram",
                "Count calls and their durations per function and thread, in powers of two"),
      NoSleepTime(Table, "no-sleep-time",
                  "Measure CPU time: leave off-CPU time out of durations and of --threshold"),
      Depth(Table, "depth,D", "N",
            "Record at most N nested levels of calls (1-64). On x86-64 deeper calls use no "
            "extra stack"),
      Sample(Table, "sample", "1/N",
             "Record the first and then every N-th call of a function per thread, and "
             "count the others"),
      Processes(Table.in("Processes"), "p", "PID",
                "Record this running process instead of PROG; may be repeated"),
      Comms(Table, "comm", "NAME",
            "Record all processes of this name, as 'ps -o comm' shows it; may be repeated"),
      Units(Table, "unit", "NAME",
            "Record all processes of this systemd unit; may be repeated"),
      Cgroups(Table, "cgroup", "PATH",
              "Record all processes in this control group and its descendants; may be "
              "repeated"),
      Follow(Table, "follow",
             "Also record child processes of the -p targets, existing and future; programs "
             "they exec() are not recorded"),
      Force(Table, "force",
            "Run PROG even if it has nothing to trace yet, for modules that it loads and "
            "programs that it starts later"),
      MaxRate(Table.in("Overhead"), "max-rate", "N",
              "Disarm functions that all threads together call more than N times a second, "
              "and name them at the end. PROG also listens for 'patchbay live'"),
      MaxOverhead(Table, "max-overhead", "PERCENT",
                  "Limit tracing to PERCENT of PROG's own CPU time. If tracing exceeds it, "
                  "the busiest functions are disabled, named at the end, and re-enabled "
                  "when there is headroom. PROG also listens for 'patchbay live'"),
      Output(Table.in("Output"), "o,output", "DIR",
             "Directory to write (default: patchbay.data)", DefaultDataDir),
      NoNames(Table, "no-names",
              "Do not store function names: the reader takes them from the program's files"),
      Live(Table, "live", "Let 'patchbay live' change what is traced while PROG runs"),
      Buffer(Table.in("Size limits"), "buffer", "SIZE",
             "Keep at most SIZE bytes of events per thread; K, M or G, from 4K to 1024G "
             "(default: 256M, 24 bytes per event)"),
      Limits(Table),
      Overwrite(Table, "overwrite",
                "When the buffer is full, drop the oldest events instead of the newest") {}

static StringRef nameOf(RecordOptions::TracerT Of) {
  switch (Of) {
  case RecordOptions::FunctionProfile:
    return "function_profile";
  case RecordOptions::Function:
    return "function";
  case RecordOptions::FunctionDuration:
    return "function_duration";
  case RecordOptions::FunctionGraph:
    return "function_graph";
  }
  llvm_unreachable("all tracers are above");
}

std::string RecordOptions::how() const {
  std::string Options = ("tracer=" + nameOf(Tracer)).str();
  const bool HasEvents = Tracer != FunctionProfile;
  if (!Buffer.empty() && HasEvents)
    Options += ",buffer=" + Buffer;
  if (Threshold.given())
    Options += ",threshold=" + durationWord(Threshold);
  if (Why.given())
    Options += ",why=" + durationWord(Why);
  if (Histogram)
    Options += ",histogram=1";
  if (NoSleepTime)
    Options += ",sleep-time=0";
  if (NoNames)
    Options += ",names=0";
  if (Depth)
    Options += ",depth=" + utostr(Depth);
  if (!Sample.empty())
    Options += ",sample=" + Sample;
  if (Overwrite && HasEvents)
    Options += ",overwrite=1";
  return Options;
}

bool RecordOptions::isOldTracer(StringRef Word) {
  for (TracerT Old :
       {FunctionProfile, Function, FunctionDuration, FunctionGraph})
    if (Word == nameOf(Old)) {
      warn("-p " + Word + " is now -t " + Word + ", as -p names a process");
      Tracer.choose(Old);
      return true;
    }
  return false;
}

void RecordOptions::chooseTracer() {
  if (Histogram && !Tracer.given())
    Tracer.choose(FunctionProfile);
}

Expected<std::vector<pid_t>> RecordOptions::processes() {
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

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

// The percentages that runtime/trace/options/options.c accepts.
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

// The samples that runtime/trace/options/options.c accepts.
static bool isSample(StringRef Text) {
  uint64_t N;
  return Text.consume_front("1/") && to_integer(Text, N, 10) && N >= 1 &&
         N <= PB_SAMPLE_MAX;
}

// The lower bound holds a thread's first block; at the upper one the table of blocks fits
// into memory.
static Error checkBuffer(const std::string &Buffer) {
  auto Size = parseSize(Buffer);
  if (Size && *Size >= PB_BUFFER_MIN && *Size <= PB_BUFFER_MAX)
    return Error::success();
  return makeError(Usage, "--buffer: '" + Buffer +
                              "' is not a size from 4K to 1024G, a whole number "
                              "with one of the units K, M, G");
}

Error RecordOptions::check() const {
  if (uint64_t Rate; MaxRate.given() &&
                     (!to_integer(MaxRate, Rate, 10) || !Rate))
    return makeError(Usage, "--max-rate: '" + MaxRate +
                                "' is not a number from 1 on");
  if (MaxOverhead.given() && !isPercentage(MaxOverhead))
    return makeError(Usage, "--max-overhead: '" + MaxOverhead +
                                "' is not a percentage from 0.01 to 1000, with two "
                                "decimals at most");
  if (!Buffer.empty())
    if (Error E = checkBuffer(Buffer))
      return E;
  if (Why.given()) {
    if (!Why)
      return makeError(Usage,
                       "--why: '" + Why.Text + "' is not a duration from 1ns on");
    if (Tracer != FunctionDuration && Tracer != FunctionGraph)
      return makeError(Usage, "--why is for function_duration and function_graph: "
                              "choose one with -t");
    if (NoSleepTime)
      return makeError(Usage, "--why says when a thread was off the processor, which "
                              "--no-sleep-time leaves out: leave out one of them");
  }
  if (Threshold.given() && Tracer == Function)
    return makeError(Usage, "--threshold is for durations, which the tracer "
                            "function does not record: choose another with -t");
  if (!ArgsOf.empty() && (Tracer == FunctionProfile || Depth))
    return makeError(Usage, Twine("--args is for events") +
                                (Depth ? ", and not beside --depth"
                                       : ": choose a tracer of these with -t"));
  if (!When.empty() && ArgsOf.empty())
    return makeError(Usage, "--when is for functions of --args: name them with their "
                            "arguments, as in --args 'parse(name, len)'");
  if (Depth.given()) {
    if (!Depth || Depth > PB_DEPTH_MAX)
      return makeError(Usage, "--depth takes a number from 1 to " +
                                  Twine(PB_DEPTH_MAX));
    if (Tracer != FunctionDuration && Tracer != FunctionGraph)
      return makeError(Usage, "--depth is for function_duration and "
                              "function_graph: choose one with -t");
  }
  if (Sample.given()) {
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
  if (TraceContext.given()) {
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
    for (const OptionRow *Row : std::initializer_list<const OptionRow *>{&Buffer, &Overwrite})
      if (Row->given())
        warn(Row->name() + " does nothing: function_profile records no events; "
                                    "choose another tracer with -t");
  if (Tracer == FunctionProfile && !Histogram)
    for (const OptionRow *Row :
         std::initializer_list<const OptionRow *>{&Threshold, &StartAt, &StopAt})
      if (Row->given())
        return makeError(Usage, Row->name() +
                                    " does nothing where calls are only "
                                    "counted: choose another tracer with -t, "
                                    "or --histogram");
  return Error::success();
}

Expected<RecordingLimits> RecordOptions::read() const {
  if (Error E = check())
    return std::move(E);
  auto Given = Limits.read(hasEvents());
  if (!Given)
    return Given.takeError();
  if (Overwrite && Limits.rotatesBySize())
    return makeError(Usage, "--overwrite keeps a file from growing, so --rotate-size would "
                            "not go on in another: leave out one of them, or take "
                            "--rotate-every");
  // Records of slow calls and of arguments must be in one file, of one tracer.
  bool Typed = llvm::any_of(
      ArgsOf, [](StringRef Text) { return parseTypedRequest(Text).has_value(); });
  if ((!Sample.empty() || Given->Rotates) && (Typed || Why.given()))
    return makeError(Usage, Twine(Typed ? "--args with names of arguments" : "--why") +
                                " is not for use beside --sample, --rotate-size or "
                                "--rotate-every: leave out one of them");
  return Given;
}
