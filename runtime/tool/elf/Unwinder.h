// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the callers in a stopped thread, by the tables of C++ exceptions (.eh_frame).
// Linux Standard Base, Core, chapter "Exception Frames" describes the tables, and DWARF
// 5, 6.4 their rules. The result serves as a proof, so nothing is guessed: if a table is
// missing or not understood, the stack stays unknown.
#pragma once

#include "DwarfRegisters.h"
#include <cstddef>
#include <vector>

namespace patchbay {

struct StackFrame {
  uint64_t Pc;   // in a caller: the return address
  uint64_t Code; // an address inside of the instruction that is executed
};

/// The source of tables and stack contents.
class UnwindSource {
public:
  virtual ~UnwindSource();
  /// False unless all Size bytes can be read.
  virtual bool read(uint64_t Address, void *Bytes, size_t Size) const = 0;
  /// The .eh_frame_hdr of the module with that code; 0 if there is none.
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
  std::vector<StackFrame> Frames;    // from the innermost to the outermost
  std::vector<uint64_t> StackPointers; // of the code, in each of the frames
  /// The last frame is the thread's first function, which its table marks.
  /// Otherwise its caller is not known.
  bool IsWhole = false;
};

Unwound unwindStack(const UnwindSource &From, const RegisterNumbers &Of,
                    const DwarfRegisters &Registers);

} // namespace patchbay
