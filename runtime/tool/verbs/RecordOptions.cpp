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

RecordOptions::RecordOptions(cl::SubCommand &Command)
    : Globs("F", cl::Prefix, cl::value_desc("GLOB"), cl::sub(Command),
            cl::cat(ToolOptions),
            cl::desc("Trace only functions whose name matches GLOB, mangled or "
                 "demangled, with or without parameters; may be repeated")),
      NoTrace(
          "N", cl::Prefix, cl::value_desc("GLOB"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Exclude functions whose name matches GLOB; may be repeated")),
      ArgsOf("args", cl::value_desc("GLOB"), cl::sub(Command),
             cl::cat(ToolOptions),
             cl::desc("Also trace functions whose name matches, and record their "
                 "arguments and results. 'parse(name, req->uri, retval)' and "
                 "'parse(*)' use debug information; may be repeated")),
      When("when", cl::value_desc("CONDITION"), cl::sub(Command),
           cl::cat(ToolOptions),
           cl::desc("Record calls of functions of --args only if CONDITION holds: 'len "
                 "> 4096 && name == \"x\"'; may be repeated")),
      Under("under", cl::value_desc("GLOB"), cl::sub(Command),
            cl::cat(ToolOptions),
            cl::desc("Record only calls within a call of a function whose name matches; "
                 "may be repeated")),
      TraceContext(
          "trace-context", cl::value_desc("WHERE"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Record the trace context of calls of --args functions: a W3C "
                 "traceparent string in arg0 to arg5, or in the thread-local "
                 "variable tls:NAME. 'patchbay dump --otlp' uses it as the parent of "
                 "spans")),
      Threads("thread", cl::value_desc("GLOB"), cl::sub(Command),
              cl::cat(ToolOptions),
              cl::desc("Record only threads whose name matches GLOB, or whose ID is GLOB; "
                 "may be repeated")),
      Processes(
          "p", cl::Prefix, cl::value_desc("PID"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Record this running process instead of PROG; may be repeated")),
      Comms(
          "comm", cl::value_desc("NAME"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Record all processes of this name, as 'ps -o comm' shows it; may "
                 "be repeated")),
      Units("unit", cl::value_desc("NAME"), cl::sub(Command),
            cl::cat(ToolOptions),
            cl::desc("Record all processes of this systemd unit; may be repeated")),
      Cgroups("cgroup", cl::value_desc("PATH"), cl::sub(Command),
              cl::cat(ToolOptions),
              cl::desc("Record all processes in this control group and its descendants; "
                 "may be repeated")),
      Follow("follow", cl::sub(Command), cl::cat(ToolOptions),
             cl::desc("Also record child processes of the -p targets, existing and "
                 "future; programs they exec() are not recorded")),
      Tracer("t", cl::Prefix, cl::value_desc("TRACER"),
             cl::init(FunctionDuration), cl::sub(Command), cl::cat(ToolOptions),
             cl::desc("Tracer:"),
             cl::values(
                 clEnumValN(FunctionDuration, "duration",
                            "one event per call with its duration (default)"),
                 clEnumValN(FunctionProfile, "count",
                            "counts, no events (default with --histogram)"),
                 clEnumValN(Function, "entry",
                            "one event at the start of each call"),
                 clEnumValN(FunctionGraph, "graph",
                            "two events per call, its start and its end"),
                 clEnumValN(FunctionDuration, "function_duration", "same as duration"),
                 clEnumValN(FunctionProfile, "function_profile", "same as count"),
                 clEnumValN(Function, "function", "same as entry"),
                 clEnumValN(FunctionGraph, "function_graph", "same as graph"))),
      GlobsLong("filter", cl::aliasopt(Globs), cl::NotHidden, cl::cat(ToolOptions),
                cl::desc("Same as -F")),
      NoTraceLong("notrace", cl::aliasopt(NoTrace), cl::NotHidden, cl::cat(ToolOptions),
                  cl::desc("Same as -N")),
      TracerLong("tracer", cl::aliasopt(Tracer), cl::NotHidden, cl::cat(ToolOptions),
                 cl::desc("Same as -t")),
      Threshold("threshold", cl::value_desc("DURATION"), cl::sub(Command),
                cl::cat(ToolOptions),
                cl::desc("Drop calls shorter than DURATION: 200us")),
      Why("why", cl::value_desc("DURATION"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("For calls of at least DURATION (10ms), record the stack trace and "
                 "when and why the thread was off-CPU")),
      Histogram(
          "histogram", cl::sub(Command), cl::cat(ToolOptions),
          cl::desc("Count calls and their durations per function and thread, in powers "
                 "of two")),
      NoSleepTime(
          "no-sleep-time", cl::sub(Command), cl::cat(ToolOptions),
          cl::desc("Measure CPU time: leave off-CPU time out of durations and of "
                 "--threshold")),
      NoNames("no-names", cl::sub(Command), cl::cat(ToolOptions),
              cl::desc("Do not store function names: the reader takes them from the "
                 "program's files")),
      MaxRate("max-rate", cl::value_desc("N"), cl::sub(Command),
              cl::cat(ToolOptions),
              cl::desc("Disarm functions that all threads together call more than N times "
                 "a second, and name them at the end. PROG also listens for "
                 "'patchbay live'")),
      MaxOverhead("max-overhead", cl::value_desc("PERCENT"), cl::sub(Command),
                  cl::cat(ToolOptions),
                  cl::desc("Limit tracing to PERCENT of PROG's own CPU time. If tracing "
                 "exceeds it, the busiest functions are disabled, named at the end, "
                 "and re-enabled when there is headroom. PROG also listens for "
                 "'patchbay live'")),
      Depth(
          "depth", cl::value_desc("N"), cl::sub(Command), cl::cat(ToolOptions),
          cl::desc("Record at most N nested levels of calls (1-64). On x86-64 deeper "
                 "calls use no extra stack")),
      Sample(
          "sample", cl::value_desc("1/N"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Record the first and then every N-th call of a function per "
                 "thread, and count the others")),
      Buffer(
          "buffer", cl::value_desc("SIZE"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Keep at most SIZE bytes of events per thread; K, M or G, from 4K "
                 "to 1024G (default: 256M, 24 bytes per event)")),
      Limits(Command),
      Overwrite(
          "overwrite", cl::sub(Command), cl::cat(ToolOptions),
          cl::desc("When the buffer is full, drop the oldest events instead of the "
                 "newest")),
      Live("live", cl::sub(Command), cl::cat(ToolOptions),
           cl::desc("Let 'patchbay live' change what is traced while PROG runs")),
      StartAt(
          "start-at", cl::value_desc("GLOB"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Record no events before the first call of a function whose name "
                 "matches; may be repeated")),
      StopAt("stop-at", cl::value_desc("GLOB"), cl::sub(Command),
             cl::cat(ToolOptions),
             cl::desc("Stop recording events at the first call of a function whose name "
                 "matches; may be repeated")),
      Output("o", cl::Prefix, cl::value_desc("DIR"), cl::init(DefaultDataDir),
             cl::sub(Command), cl::cat(ToolOptions),
             cl::desc("Directory to write (default: patchbay.data)")),
      OutputLong("output", cl::aliasopt(Output), cl::NotHidden, cl::cat(ToolOptions),
                 cl::desc("Same as -o")),
      DepthShort("D", cl::Prefix, cl::aliasopt(Depth), cl::NotHidden, cl::cat(ToolOptions),
                 cl::desc("Same as --depth")),
      Force("force", cl::sub(Command), cl::cat(ToolOptions),
            cl::desc("Run PROG even if it has nothing to trace yet, for modules that it "
                 "loads and programs that it starts later")) {}

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
  if (!Threshold.empty())
    Options += ",threshold=" + durationWord(*parseNs(Threshold, 0));
  if (!Why.empty())
    Options += ",why=" + durationWord(*parseNs(Why, 0));
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
      Tracer.setValue(Old);
      return true;
    }
  return false;
}

void RecordOptions::chooseTracer() {
  if (Histogram && !Tracer.getNumOccurrences())
    Tracer.setValue(FunctionProfile);
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
  if (uint64_t Rate; MaxRate.getNumOccurrences() &&
                     (!to_integer(MaxRate, Rate, 10) || !Rate))
    return makeError(Usage, "--max-rate: '" + MaxRate +
                                "' is not a number from 1 on");
  if (MaxOverhead.getNumOccurrences() && !isPercentage(MaxOverhead))
    return makeError(Usage, "--max-overhead: '" + MaxOverhead +
                                "' is not a percentage from 0.01 to 1000, with two "
                                "decimals at most");
  if (!Buffer.empty())
    if (Error E = checkBuffer(Buffer))
      return E;
  if (Threshold.getNumOccurrences())
    if (Error E = readDuration("--threshold", Threshold).takeError())
      return E;
  if (Why.getNumOccurrences()) {
    auto Ns = readDuration("--why", Why);
    if (!Ns)
      return Ns.takeError();
    if (!*Ns)
      return makeError(Usage,
                       "--why: '" + Why + "' is not a duration from 1ns on");
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
        warn("--" + Given->ArgStr + " does nothing: function_profile records no events; "
                                    "choose another tracer with -t");
  if (Tracer == FunctionProfile && !Histogram)
    for (const cl::Option *Given : std::initializer_list<const cl::Option *>{
             &Threshold, &static_cast<const cl::Option &>(StartAt),
             &static_cast<const cl::Option &>(StopAt)})
      if (Given->getNumOccurrences())
        return makeError(Usage, "--" + Given->ArgStr +
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
  if ((!Sample.empty() || Given->Rotates) && (Typed || !Why.empty()))
    return makeError(Usage, Twine(Typed ? "--args with names of arguments" : "--why") +
                                " is not for use beside --sample, --rotate-size or "
                                "--rotate-every: leave out one of them");
  return Given;
}
