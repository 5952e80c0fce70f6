// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a data file, which may be truncated, corrupt, or still being written.
#ifndef PATCHBAY_TOOL_PROFILEREADER_H
#define PATCHBAY_TOOL_PROFILEREADER_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace patchbay {

struct ProfileModule {
  uint64_t Base = 0;
  std::string BuildId; // bytes; empty if the module has none
  std::string Path;
};

struct ProfileCounter {
  uint32_t Module;
  uint64_t Entry;
  uint64_t Calls;
};

struct Profile {
  uint32_t Machine = 0;
  uint32_t Pid = 0;
  uint64_t StartNs = 0;
  uint32_t Errno = 0; // why something was not traced, 0 if all was
  std::vector<std::string> Args;
  std::map<uint32_t, ProfileModule> Modules; // by id
  std::vector<ProfileCounter> Counters;      // each of a module in Modules
};

/// Reads the file into Out. On an error Out holds what precedes it.
llvm::Error readProfile(llvm::StringRef Path, Profile &Out);

} // namespace patchbay

#endif
