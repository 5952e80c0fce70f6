// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordOptions.h"
#include "DurationText.h"
#include "options.h"
#include "recording/TypedArgs.h"
#include "tracers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

RecordOptions::RecordOptions(cl::SubCommand &Command)
    : Globs("F", cl::Prefix, cl::value_desc("GLOB"), cl::sub(Command),
            cl::cat(ToolOptions),
            cl::desc("Trace only functions whose name matches, mangled or "
                     "demangled, with or without parameters; may be repeated")),
      NoTrace(
          "N", cl::Prefix, cl::value_desc("GLOB"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("But not functions whose name matches; may be repeated")),
      ArgsOf("args", cl::value_desc("GLOB"), cl::sub(Command),
             cl::cat(ToolOptions),
             cl::desc(
                 "Trace functions whose name matches, too, and record "
                 "their arguments and results; with names behind it, as in "
                 "'parse(name, req->uri, retval)' or 'parse(*)', these by what "
                 "debug information says of their types; not with "
                 "function_profile or --depth; may be repeated")),
      When("when", cl::value_desc("CONDITION"), cl::sub(Command),
           cl::cat(ToolOptions),
           cl::desc(
               "Of functions that --args names with their arguments, record "
               "only "
               "calls for which this holds, as 'len > 4096 && name == \"x\"'; "
               "may be repeated")),
      Under("under", cl::value_desc("GLOB"), cl::sub(Command),
            cl::cat(ToolOptions),
            cl::desc(
                "Record only calls that are made within a call of a function "
                "whose name matches, and those of it; may be repeated")),
      TraceContext(
          "trace-context", cl::value_desc("WHERE"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc(
              "Of functions of --args, record which trace a call is part of: a "
              "W3C "
              "traceparent, to which an argument points, arg0 to arg5, or a "
              "thread-local variable of the program, tls:NAME; 'patchbay dump "
              "--otlp' puts its spans there")),
      Threads("thread", cl::value_desc("GLOB"), cl::sub(Command),
              cl::cat(ToolOptions),
              cl::desc("Record only threads whose name matches, or whose id it "
                       "is; may be repeated")),
      Processes(
          "p", cl::Prefix, cl::value_desc("PID"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Record this process, which runs already, in the place "
                   "of PROG; may be repeated")),
      Comms(
          "comm", cl::value_desc("NAME"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("All processes of this name, as 'ps -o comm' shows it; may "
                   "be repeated")),
      Units("unit", cl::value_desc("NAME"), cl::sub(Command),
            cl::cat(ToolOptions),
            cl::desc("All processes of this unit of systemd; may be repeated")),
      Cgroups("cgroup", cl::value_desc("PATH"), cl::sub(Command),
              cl::cat(ToolOptions),
              cl::desc("All processes in this control group, and below it; may "
                       "be repeated")),
      Follow("follow", cl::sub(Command), cl::cat(ToolOptions),
             cl::desc("And what they have forked, and fork while they are "
                      "recorded; what they execute, if that is another "
                      "program, is not")),
      Tracer("t", cl::Prefix, cl::value_desc("TRACER"),
             cl::init(FunctionDuration), cl::sub(Command), cl::cat(ToolOptions),
             cl::desc("What to record"),
             cl::values(
                 clEnumValN(FunctionDuration, "duration",
                            "an event for each call, with how long it took (default)"),
                 clEnumValN(FunctionProfile, "count",
                            "how often functions are called (default with --histogram)"),
                 clEnumValN(Function, "entry",
                            "an event for each call, when it begins"),
                 clEnumValN(FunctionGraph, "graph",
                            "as duration, and an event when a call begins: calls that "
                            "have not returned are there"),
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
                cl::desc("Drop calls that take less: 200us")),
      Why("why", cl::value_desc("DURATION"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc(
              "Of calls that take as long (10ms), record why: who called the "
              "function, "
              "and when and for what the thread was off the processor; for "
              "function_duration and function_graph, and not with "
              "--no-sleep-time")),
      Histogram(
          "histogram", cl::sub(Command), cl::cat(ToolOptions),
          cl::desc("Count calls, and how long they take: of each function and "
                   "thread, by powers of two")),
      NoSleepTime(
          "no-sleep-time", cl::sub(Command), cl::cat(ToolOptions),
          cl::desc(
              "Durations, and what --threshold says, are without the time that "
              "the thread was not on a processor; not with -t function, "
              "--depth "
              "or --args")),
      NoNames("no-names", cl::sub(Command), cl::cat(ToolOptions),
              cl::desc("Do not store the names of functions: they are read from the "
                       "programs' files when the recording is read")),
      MaxRate("max-rate", cl::value_desc("N"), cl::sub(Command),
              cl::cat(ToolOptions),
              cl::desc("Disarm functions that are called more than N times a "
                       "second, by all "
                       "threads together, also by calls that --threshold "
                       "drops; they are named "
                       "at the end. PROG listens for 'patchbay live', too")),
      MaxOverhead("max-overhead", cl::value_desc("PERCENT"), cl::sub(Command),
                  cl::cat(ToolOptions),
                  cl::desc("Let tracing take no more than so much of the "
                           "processor time that PROG "
                           "takes for itself: the functions that are called "
                           "most are disarmed until "
                           "it does not, named at the end, and armed again "
                           "when there is room. PROG "
                           "listens for 'patchbay live', too")),
      Depth(
          "depth", cl::value_desc("N"), cl::sub(Command), cl::cat(ToolOptions),
          cl::desc("Record calls only that are within fewer than N calls of "
                   "functions that are traced; up to 64. On x86-64 the others "
                   "take no more of the stack, so that a deep recursion has "
                   "the room that it has untraced")),
      Sample(
          "sample", cl::value_desc("1/N"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc(
              "Record, of the calls that a thread makes of a function, the "
              "first and each N-th behind it, and count the others; not with "
              "function_profile, --depth or --no-sleep-time")),
      Buffer(
          "buffer", cl::value_desc("SIZE"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Events to keep of each thread, in bytes; with K, M or G, "
                   "from 4K to 1024G (default: 256M, of 24 bytes per event)")),
      Limits(Command),
      Overwrite(
          "overwrite", cl::sub(Command), cl::cat(ToolOptions),
          cl::desc("When the buffer is full, drop the oldest events "
                   "instead of the next ones; a new thread goes on in the "
                   "buffer of one that has ended, if there is one")),
      Live("live", cl::sub(Command), cl::cat(ToolOptions),
           cl::desc(
               "Let 'patchbay live' change what is traced while PROG runs")),
      StartAt(
          "start-at", cl::value_desc("GLOB"), cl::sub(Command),
          cl::cat(ToolOptions),
          cl::desc("Record no events before a function is called whose name "
                   "matches; may be repeated")),
      StopAt("stop-at", cl::value_desc("GLOB"), cl::sub(Command),
             cl::cat(ToolOptions),
             cl::desc("Record no events once a function is called whose name "
                      "matches; may be repeated")),
      Output("o", cl::Prefix, cl::value_desc("DIR"), cl::init(DefaultDataDir),
             cl::sub(Command), cl::cat(ToolOptions),
             cl::desc("Directory to write (default: patchbay.data)")),
      OutputLong("output", cl::aliasopt(Output), cl::NotHidden, cl::cat(ToolOptions),
                 cl::desc("Same as -o")),
      DepthShort("D", cl::Prefix, cl::aliasopt(Depth), cl::NotHidden, cl::cat(ToolOptions),
                 cl::desc("Same as --depth")),
      Force("force", cl::sub(Command), cl::cat(ToolOptions),
            cl::desc(
                "Run PROG even if there is nothing to trace in it yet, for "
                "modules that it loads and programs that it starts later")) {}

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
// What is wrong with them
//===----------------------------------------------------------------------===//

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
  // What is known of slow calls and of arguments is in one file, of one tracer.
  bool Typed = llvm::any_of(
      ArgsOf, [](StringRef Text) { return parseTypedRequest(Text).has_value(); });
  if ((!Sample.empty() || Given->Rotates) && (Typed || !Why.empty()))
    return makeError(Usage, Twine(Typed ? "--args with names of arguments" : "--why") +
                                " is not for use beside --sample, --rotate-size or "
                                "--rotate-every: leave out one of them");
  return Given;
}
