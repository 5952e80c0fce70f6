// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace patchbay;

CommandLine::CommandLine() {
  // A file of this kind has no size that could be known before it is read.
  auto File = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
  if (!File)
    return;
  Buffer = std::move(*File);
  // Each argument ends with a zero; the first one is the program.
  Buffer->getBuffer().split(Arguments, '\0');
  Arguments.erase(Arguments.begin());
}

CommandLine::~CommandLine() = default;

bool CommandLine::has(StringRef Argument) const {
  return is_contained(Arguments, Argument);
}

bool CommandLine::hasPrefix(StringRef Prefix) const {
  return any_of(Arguments, [&](StringRef A) { return A.starts_with(Prefix); });
}

size_t CommandLine::last(function_ref<bool(StringRef)> Is) const {
  for (size_t I = Arguments.size(); I; --I)
    if (Is(Arguments[I - 1]))
      return I;
  return 0;
}
