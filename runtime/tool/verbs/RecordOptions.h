// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of `record`, and which of them go together.
#ifndef PATCHBAY_TOOL_RECORDOPTIONS_H
#define PATCHBAY_TOOL_RECORDOPTIONS_H

#include "LimitOptions.h"
#include "NamedValue.h"
#include "Verb.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

struct RecordOptions {
  enum TracerT { FunctionProfile, Function, FunctionDuration, FunctionGraph };

  explicit RecordOptions(llvm::cl::SubCommand &Command);

  /// Chooses the tracer that --histogram needs, unless -t does. To be called first.
  void chooseTracer();
  /// The processes that -p names. If it names a tracer, as it once did, that is
  /// chosen: so before the others.
  llvm::Expected<std::vector<pid_t>> processes();
  /// Fails if one is wrong, or not for use beside another.
  llvm::Expected<RecordingLimits> read() const;
  /// How calls are recorded, whatever functions and threads they are of, as in
  /// PATCHBAY.
  std::string how() const;

  /// Whether calls are not only counted.
  bool hasEvents() const { return Tracer != FunctionProfile || Histogram; }
  /// Whether it is measured how long calls take.
  bool isTimed() const { return Tracer != Function && hasEvents(); }

  llvm::cl::list<std::string> Globs, NoTrace, ArgsOf, When, Under;
  llvm::cl::opt<std::string> TraceContext;
  llvm::cl::list<std::string> Threads, Processes, Comms, Units, Cgroups;
  llvm::cl::opt<bool> Follow;
  llvm::cl::opt<TracerT, false, NamedValue<TracerT>> Tracer;
  llvm::cl::alias GlobsLong, NoTraceLong, TracerLong;
  llvm::cl::opt<std::string> Threshold, Why;
  llvm::cl::opt<bool> Histogram, NoSleepTime, NoNames;
  llvm::cl::opt<std::string> MaxRate, MaxOverhead;
  llvm::cl::opt<unsigned> Depth;
  llvm::cl::opt<std::string> Sample, Buffer;
  LimitOptions Limits;
  llvm::cl::opt<bool> Overwrite, Live;
  llvm::cl::list<std::string> StartAt, StopAt;
  llvm::cl::opt<std::string> Output;
  llvm::cl::alias OutputLong, DepthShort;
  llvm::cl::opt<bool> Force;

private:
  bool isOldTracer(llvm::StringRef Word);
  llvm::Error check() const;
};

} // namespace patchbay

#endif
