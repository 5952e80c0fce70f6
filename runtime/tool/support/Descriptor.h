// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>
#include <utility>

namespace patchbay {

/// Owns a file descriptor, and closes it. -1: owns none.
class Descriptor {
public:
  Descriptor(int File = -1) : File(File) {}
  Descriptor(Descriptor &&Other) : File(std::exchange(Other.File, -1)) {}
  Descriptor &operator=(Descriptor &&Other) {
    std::swap(File, Other.File);
    return *this;
  }
  ~Descriptor() {
    if (File >= 0)
      close(File);
  }
  operator int() const & { return File; }
  operator int() const && = delete; // a temporary would be closed immediately

private:
  int File;
};

} // namespace patchbay
