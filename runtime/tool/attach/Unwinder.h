// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who called whom in a thread that stands still: by the tables that C++ exceptions
// use (.eh_frame, Linux Standard Base, Core, chapter "Exception Frames"; the rules
// in it are DWARF 5, 6.4). It is for a proof, so it guesses nothing: where a table is
// missing or says what is not understood here, there is no answer.
#ifndef PATCHBAY_TOOL_ATTACH_UNWINDER_H
#define PATCHBAY_TOOL_ATTACH_UNWINDER_H

#include "DwarfRegisters.h"
#include <cstddef>
#include <vector>

namespace patchbay {

struct StackFrame {
  uint64_t Pc;   // of a caller: where it goes on
  uint64_t Code; // in the instruction that is executed there
};

/// What the tables and the stack are read from.
class UnwindSource {
public:
  virtual ~UnwindSource();
  /// False unless all Size bytes are there.
  virtual bool read(uint64_t Address, void *Bytes, size_t Size) const = 0;
  /// Of the module with that code, its .eh_frame_hdr; 0 if it has none, or there is none.
  virtual uint64_t frameHeader(uint64_t Code) const = 0;
  /// A return address without what the processor has signed it with (AArch64's pointer
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
  std::vector<uint64_t> StackPointers; // in each of them, of its code
  /// The last one is the thread's first function, which its table marks as such. Else it
  /// is not known who called it.
  bool IsWhole = false;
};

Unwound unwindStack(const UnwindSource &From, const RegisterNumbers &Of,
                    const DwarfRegisters &Registers);

} // namespace patchbay

#endif
