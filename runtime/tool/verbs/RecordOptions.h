// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of `record`, and which of them go together.
#ifndef PATCHBAY_TOOL_RECORDOPTIONS_H
#define PATCHBAY_TOOL_RECORDOPTIONS_H

#include "Verb.h"
#include "recording/Rotation.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

struct RecordOptions {
  enum TracerT { FunctionProfile, Function, FunctionDuration, FunctionGraph };

  explicit RecordOptions(OptionTable &Table);

  /// Chooses the tracer that --histogram needs, unless -t does. To be called first.
  void chooseTracer();
  /// The processes that -p names. If it names a tracer, as it once did, that is
  /// chosen: so before the others.
  llvm::Expected<std::vector<pid_t>> processes();
  /// Fails if one is wrong, or not for use beside another.
  llvm::Expected<RecordingLimits> read() const;
  /// How calls are recorded, whatever functions and threads they are of, as in
  /// PATCHBAY; and all other options that the processes take as they are.
  std::string how() const;
  std::string limits() const;

  /// Whether calls are not only counted.
  bool hasEvents() const { return Tracer != FunctionProfile || Histogram; }
  /// Whether arguments with names can be recorded, as trace/options/option_table.c says.
  bool takesTypedArguments() const;
  /// Whether it is measured how long calls take.
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
  bool isOldTracer(llvm::StringRef Word);
  std::vector<const OptionRow *> rowsOfHow() const;
  std::vector<const OptionRow *> rowsOfLimits() const;
};

} // namespace patchbay

#endif
