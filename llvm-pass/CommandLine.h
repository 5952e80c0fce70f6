// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -fplugin= alone nothing of ours is called before code is generated, and never if
// none is; so what is wrong with how the compiler was called is found when the plugin is
// loaded.
#ifndef PATCHBAY_LLVM_PASS_COMMANDLINE_H
#define PATCHBAY_LLVM_PASS_COMMANDLINE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace patchbay {

/// The arguments of this process: of clang -cc1, or, where that is not a process of its
/// own, of the driver. None if the system does not tell.
class CommandLine {
public:
  CommandLine();
  ~CommandLine();
  bool has(llvm::StringRef Argument) const;
  bool hasPrefix(llvm::StringRef Prefix) const;
  /// Where the last one is for which \p Is says so, counted from 1; 0 if none is.
  size_t last(llvm::function_ref<bool(llvm::StringRef)> Is) const;

private:
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  llvm::SmallVector<llvm::StringRef, 0> Arguments;
};

} // namespace patchbay

#endif
