// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the callers in a stopped thread, using the tables of C++ exceptions (.eh_frame).
// The chapter "Exception Frames" of Linux Standard Base, Core, describes the tables;
// section 6.4 of DWARF 5 describes their rules. The result serves as a proof, so nothing
// is guessed: if a table is missing or not understood, the stack is unknown.
#pragma once

#include "DwarfRegisters.h"
#include <cstddef>
#include <vector>

namespace patchbay {

struct StackFrame {
  uint64_t Pc;   // the next instruction; in a caller, the return address
  uint64_t Code; // an address within the instruction that is being executed
};

/// Reads tables and stack contents.
class UnwindSource {
public:
  virtual ~UnwindSource();
  /// Returns false unless all Size bytes can be read.
  virtual bool read(uint64_t Address, void *Bytes, size_t Size) const = 0;
  /// The .eh_frame_hdr of the module that contains Code; 0 if there is none.
  virtual uint64_t frameHeader(uint64_t Code) const = 0;
  /// Removes the processor's signature from a return address (AArch64's pointer
  /// authentication).
  virtual uint64_t withoutSignature(uint64_t ReturnAddress) const {
    return ReturnAddress;
  }

  template <typename T> bool read(uint64_t Address, T &Value) const {
    return read(Address, &Value, sizeof(Value));
  }
};

struct Unwound {
  std::vector<StackFrame> Frames;    // innermost first
  std::vector<uint64_t> StackPointers; // the stack pointer in each frame
  /// The last frame is the thread's first function, which its unwind table marks. If
  /// false, the caller of the last frame is unknown.
  bool IsWhole = false;
};

Unwound unwindStack(const UnwindSource &From, const RegisterNumbers &Of,
                    const DwarfRegisters &Registers);

} // namespace patchbay
