// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of `record`, and checks of their combinations.
#pragma once

#include "Verb.h"
#include "recording/Rotation.h"

namespace patchbay {

struct RecordOptions {
  enum TracerT { FunctionProfile, Function, FunctionDuration, FunctionGraph };

  explicit RecordOptions(OptionTable &Table);

  /// Selects the tracer that --histogram needs, unless -t names a tracer. Must be called
  /// first.
  void chooseTracer();
  /// The processes that -p and similar options select.
  llvm::Expected<std::vector<pid_t>> processes();
  /// Fails if an option is invalid, or excludes another option.
  llvm::Expected<RecordingLimits> read() const;
  /// Options for PATCHBAY. how(): options for the recording of a call. limits(): the
  /// remaining options.
  std::string how() const;
  std::string limits() const;

  /// Are events or durations recorded, rather than only counts?
  bool hasEvents() const { return Tracer != FunctionProfile || Histogram; }
  /// Can arguments be recorded by name? trace/options/option_table.c decides.
  bool takesTypedArguments() const;
  /// Are durations measured?
  bool isTimed() const { return Tracer != Function && hasEvents(); }

  StringsOption Globs, NoTrace, Under, Threads, ArgsOf, When;
  StringOption TraceContext;
  StringsOption StartAt, StopAt;
  ChoiceOption<TracerT> Tracer;
  DurationOption Threshold, Why;
  FlagOption Histogram, NoSleepTime;
  NumberOption Depth;
  StringOption Sample;
  StringsOption Processes, Comms, Units, Cgroups;
  FlagOption Follow, Force;
  DurationOption Delay, For;
  StringOption MaxRate, MaxOverhead;
  StringOption Output;
  FlagOption NoNames, Live;
  StringOption Buffer, MaxMemory, MaxSize, RotateSize;
  DurationOption RotateEvery;
  NumberOption Keep;
  FlagOption Overwrite;

private:
  std::vector<const OptionRow *> rowsOfHow() const;
  std::vector<const OptionRow *> rowsOfLimits() const;
};

} // namespace patchbay
