// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordOptions.h"
#include "recording/TypedArgs.h"
#include "trace/options/option_table.h"
#include "llvm/ADT/StringExtras.h"
#include <random>

using namespace llvm;
using namespace patchbay;

RecordOptions::RecordOptions(OptionTable &Table)
    : Globs(Table.in("Functions and calls"), "F,filter", "GLOB",
            "Trace only functions whose name matches GLOB, mangled or demangled, with or "
            "without parameters (repeatable)"),
      NoTrace(Table, "N,notrace", "GLOB",
              "Exclude functions whose name matches GLOB (repeatable)"),
      Under(Table, "under", "GLOB",
            "Record only calls within a call of a function whose name matches (repeatable)"),
      Threads(Table, "thread", "GLOB",
              "Record only threads whose name matches GLOB, or whose ID is GLOB (repeatable)"),
      ArgsOf(Table, "args", "GLOB",
             "Also trace functions whose name matches, and record their arguments and "
             "results. 'parse(name, req->uri, retval)' and 'parse(*)' use debug "
             "information (repeatable)"),
      When(Table, "when", "CONDITION",
           "Record calls of functions of --args only if CONDITION holds: 'len > 4096 && "
           "name == \"x\"' (repeatable)"),
      TraceContext(Table, "trace-context", "WHERE",
                   "Record the trace context of calls of --args functions: a W3C "
                   "traceparent string in arg0 to arg5, or in the thread-local variable "
                   "tls:NAME. 'patchbay dump --otlp' uses it as the parent of spans"),
      StartAt(Table, "start-at", "GLOB",
              "Record no events before the first call of a function whose name matches "
              "(repeatable)"),
      StopAt(Table, "stop-at", "GLOB",
             "Stop recording events at the first call of a function whose name matches "
             "(repeatable)"),
      Tracer(Table.in("What is recorded"), "t,tracer", "TRACER", "Record calls with this tracer:", FunctionDuration,
             {{"duration", FunctionDuration, "one event per call with its duration (default)"},
              {"count", FunctionProfile, "counts, no events (default with --histogram)"},
              {"entry", Function, "one event at the start of each call"},
              {"graph", FunctionGraph, "two events per call, its start and its end"},
              {"function_duration", FunctionDuration},
              {"function_profile", FunctionProfile},
              {"function", Function},
              {"function_graph", FunctionGraph}}),
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
             "Per function and thread, record one of N outermost calls, with all calls inside it. "
             "Count the others. With --under: one of N calls of its functions"),
      Processes(Table.in("Processes"), "p", "PID",
                "Record this running process instead of PROG (repeatable)"),
      Comms(Table, "comm", "NAME",
            "Record all processes of this name, as 'ps -o comm' shows it (repeatable)"),
      Units(Table, "unit", "NAME",
            "Record all processes of this systemd unit (repeatable)"),
      Cgroups(Table, "cgroup", "PATH",
              "Record all processes in this control group and its descendants (repeatable)"),
      Follow(Table, "follow",
             "Also record child processes of the -p targets, existing and future; programs "
             "they exec() are not recorded"),
      Force(Table, "force",
            "Run PROG even if it has nothing to trace yet, for modules that it loads and "
            "programs that it starts later"),
      Delay(Table, "delay",
            "With -p: begin recording after DURATION (3s)"),
      For(Table, "for",
          "End recording after DURATION (10s); PROG is ended by SIGTERM, -p processes "
          "continue"),
      MaxRate(Table.in("Overhead"), "max-rate", "N",
              "Disarm functions that all threads together call more than N times a second, "
              "and name them at the end"),
      MaxOverhead(Table, "max-overhead", "PERCENT",
                  "Limit tracing to PERCENT (2%) of PROG's own CPU time. If tracing exceeds it, "
                  "the busiest functions are disabled, named at the end, and re-enabled "
                  "when there is headroom"),
      Output(Table.in("Output"), "o,output", "DIR",
             "Directory to write (default: patchbay.data)", DefaultDataDir),
      NoNames(Table, "no-names",
              "Do not store function names: the reader takes them from the program's files"),
      Live(Table, "live",
           "Let 'patchbay live' change what is traced while PROG runs. --max-rate, "
           "--max-overhead, --rotate-size and --rotate-every do that, too"),
      Buffer(Table.in("Size limits"), "buffer", "SIZE",
             "Keep at most SIZE bytes of events per thread; K, M or G, from 4K to 1024G "
             "(default: 256M, 24 bytes per event)"),
      MaxMemory(Table, "max-memory", "SIZE",
                "Keep at most SIZE bytes of events per process; K, M or G, at least 1M "
                "(default: --buffer per thread)"),
      MaxSize(Table, "max-size", "SIZE",
              "Limit the disk space of all processes together; K, M or G, at least 1M. "
              "Events that exceed it are lost; with rotation the oldest files are removed "
              "instead"),
      RotateSize(Table, "rotate-size", "SIZE",
                 "Start a new file when one reaches SIZE; K, M or G, at least 1M"),
      RotateEvery(Table, "rotate-every",
                  "Start a new file every DURATION: 60s"),
      Keep(Table, "keep", "N",
           "Keep the newest N files of all processes together"),
      Overwrite(Table, "overwrite",
                "When the buffer is full, drop the oldest events instead of the newest") {
  Table.describe([](const OptionRow &Row) -> std::string {
    char Text[PB_WHY_MAX];
    StringRef Name = Row.Names.split(',').first;
    Name.consume_front("no-");
    pb_option_describe(Name.str().c_str(), Text);
    return Text;
  });
}

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

std::vector<const OptionRow *> RecordOptions::rowsOfHow() const {
  std::vector<const OptionRow *> Rows = {&Threshold, &Why,   &Histogram, &NoSleepTime,
                                         &NoNames,   &Depth, &Sample};
  if (Tracer != FunctionProfile)
    Rows.insert(Rows.end(), {&Buffer, &Overwrite});
  return Rows;
}

std::vector<const OptionRow *> RecordOptions::rowsOfLimits() const {
  return {&TraceContext, &Threads,     &MaxMemory, &MaxSize, &RotateSize,
          &RotateEvery,  &Keep,        &MaxRate,   &Live};
}

// The values of an option, as names and values in PATCHBAY.
static std::vector<std::pair<StringRef, std::string>> valuesOf(const OptionRow &Row) {
  std::vector<std::pair<StringRef, std::string>> Values;
  StringRef Name = Row.Names.split(',').first;
  std::string Switched = Name.consume_front("no-") ? "0" : "1";
  for (const std::string &Word : Row.Words)
    if (!Row.Meta.empty())
      Values.emplace_back(Name, Word);
    else if (Word != "false")
      Values.emplace_back(Name, Switched);
  return Values;
}

static std::string textOf(ArrayRef<const OptionRow *> Rows) {
  std::string Text;
  for (const OptionRow *Row : Rows)
    for (const auto &[Name, Value] : valuesOf(*Row))
      Text += ("," + Name + "=" + escapeOption(Value)).str();
  return Text;
}

std::string RecordOptions::how() const {
  return ("tracer=" + nameOf(Tracer) + textOf(rowsOfHow())).str();
}

std::string RecordOptions::limits() const { return textOf(rowsOfLimits()); }

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
    else if (Word == "--" || Word.empty())
      return makeError(Usage, "-p: no process ID before '--': did a command such as "
                              "$(pgrep NAME) find none?");
    else
      return makeError(Usage, "-p: '" + Word + "' is not a process ID: use a number from "
                                  "1, or -t to choose a tracer");
  }
  return Named;
}

bool RecordOptions::takesTypedArguments() const {
  return Tracer != FunctionProfile && !Depth.given() && !NoSleepTime && Sample.empty() &&
         RotateSize.empty() && !RotateEvery.given();
}

// Converts the options to struct pb_options, since the table in runtime/trace/options
// decides which combinations are valid.
Expected<RecordingLimits> RecordOptions::read() const {
  struct pb_options Asked = {};
  char Why[PB_WHY_MAX];
  Asked.tracer_name = nameOf(Tracer).data();
  std::vector<const OptionRow *> Rows = rowsOfHow();
  append_range(Rows, rowsOfLimits());
  Rows.insert(Rows.end(), {&Buffer, &MaxOverhead, &StartAt, &StopAt});
  for (const OptionRow *Row : Rows)
    for (const auto &[Name, Value] : valuesOf(*Row))
      if (pb_option_set(&Asked, Name.str().c_str(), Value.c_str(), Why))
        return makeError(Usage, Row->name() + ": '" + Value + "' is not " + Why);
  for (const std::string &Text : ArgsOf)
    ++(parseTypedRequest(Text) ? Asked.nr_typed : Asked.nr_args);
  if (pb_options_conflict(&Asked, /*is_command=*/1, Why))
    return makeError(Usage, Why);
  if (!When.empty() && ArgsOf.empty())
    return makeError(Usage, "--when is for functions of --args: name them with their "
                            "arguments, as in --args 'parse(name, len)'");
  if (Tracer == FunctionProfile)
    for (const OptionRow *Row : std::initializer_list<const OptionRow *>{&Buffer, &Overwrite})
      if (Row->given())
        warn(Row->name() + " does nothing: -t count records no events; "
                           "choose another tracer with -t");
  RecordingLimits Limits;
  Limits.Rotates = pb_options_rotate(&Asked);
  Limits.Keep = Asked.keep;
  Limits.MaxSize = Asked.max_size;
  Limits.RotateSize = Asked.rotate_size;
  std::random_device Random;
  while ((Limits.Rotates || Limits.MaxSize) && !Limits.Recording)
    Limits.Recording = uint64_t(Random()) << 32 | Random();
  return Limits;
}
