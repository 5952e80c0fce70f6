// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that were chosen, as if others had not been recorded.
#ifndef PATCHBAY_TOOL_CHOSENCALLS_H
#define PATCHBAY_TOOL_CHOSENCALLS_H

#include "CallStream.h"

namespace patchbay {

/// Shows those calls to sinks: what they are within are others that were chosen.
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
  std::vector<TraceCall> Chosen; // of those that are open
  std::vector<size_t> Places;    // of these, among all that are open
  std::vector<uint32_t> OpenOf;  // by function: how many of Chosen
};

} // namespace patchbay

#endif
