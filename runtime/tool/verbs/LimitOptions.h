// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of a recording, and in which files it is: options of `record`.
#ifndef PATCHBAY_TOOL_LIMITOPTIONS_H
#define PATCHBAY_TOOL_LIMITOPTIONS_H

#include "Verb.h"
#include "recording/Rotation.h"
#include <optional>

namespace patchbay {

/// A whole number behind which there may be K, M or G.
std::optional<uint64_t> parseSize(llvm::StringRef Text);

class LimitOptions {
public:
  explicit LimitOptions(OptionTable &Table);

  /// Fails if one is wrong, or not for a tracer that only counts calls.
  llvm::Expected<RecordingLimits> read(bool HasEvents) const;
  bool rotatesBySize() const { return RotateSize.given(); }
  /// The same as in PATCHBAY.
  std::string text() const;

private:
  StringOption MaxMemory, MaxSize, RotateSize;
  DurationOption RotateEvery;
  StringOption Keep;
};

} // namespace patchbay

#endif
