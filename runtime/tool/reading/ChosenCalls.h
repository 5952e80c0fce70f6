// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selected calls, as if the others had not been recorded.
#ifndef PATCHBAY_TOOL_CHOSENCALLS_H
#define PATCHBAY_TOOL_CHOSENCALLS_H

#include "CallStream.h"

namespace patchbay {

/// Passes these calls to sinks. Their outer calls are selected ones, too.
class ChosenCalls : public CallSink {
public:
  explicit ChosenCalls(llvm::ArrayRef<CallSink *> Sinks) : Sinks(Sinks) {}
  void beginThread(const TraceThread &Thread) override;
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  void endThread(const TraceThread &Thread) override;

private:
  llvm::ArrayRef<CallSink *> Sinks;
  std::vector<TraceCall> Chosen; // the open ones
  std::vector<size_t> Places;    // their indices among all open calls
  std::vector<uint32_t> OpenOf;  // number of calls in Chosen, by function
};

} // namespace patchbay

#endif
