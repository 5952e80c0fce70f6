// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the callers in a stopped thread, using the tables of C++ exceptions (.eh_frame). The
// chapter "Exception Frames" of Linux Standard Base, Core, describes the tables; section 6.4
// of DWARF 5 describes their rules. If a table is missing or not understood, the stack is
// unknown: the unwinder does not guess, since SafePoint.h uses the result as a proof.
#pragma once

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/DataExtractor.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace patchbay {

/// Reads bytes of a 64-bit little-endian file.
inline llvm::DataExtractor littleEndian(llvm::StringRef Bytes) {
#if LLVM_VERSION_MAJOR >= 23
  return llvm::DataExtractor(Bytes, /*IsLittleEndian=*/true);
#else
  return llvm::DataExtractor(Bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8);
#endif
}

/// The maximum number of registers of the machines below.
constexpr unsigned MaxDwarfRegisters = 33;

/// Register values by number. std::nullopt: unknown in this frame.
using DwarfRegisters =
    std::array<std::optional<uint64_t>, MaxDwarfRegisters>;

struct RegisterNumbers {
  unsigned Number;
  unsigned StackPointer;
  unsigned ReturnAddress; // the register that tables use for the return address
  unsigned Pc;            // the register with the next instruction's address
  uint64_t Preserved;     // one bit for each register that functions preserve

  bool isPreserved(unsigned Register) const {
    return Preserved >> Register & 1;
  }
  /// Do calls store the return address in a register instead of on the stack?
  bool hasLink() const { return Pc != ReturnAddress; }
};

/// System V ABI, AMD64 supplement, figure 3.36. The return address has the
/// number of the program counter. Functions preserve rbx, rbp, and r12 to r15.
inline constexpr RegisterNumbers NumbersOfX86_64 = {
    17, 7, 16, 16, 1 << 3 | 1 << 6 | 0xf << 12};

/// DWARF for the Arm 64-bit Architecture, 4.1. Functions preserve x19 to x29.
inline constexpr RegisterNumbers NumbersOfAArch64 = {33, 31, 30, 32, 0x7ff << 19};

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
  /// The .eh_frame_hdr of the module that contains Code; 0 without such a table.
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
  /// True if the last frame is the thread's first function, which its unwind table marks.
  /// False: the caller of the last frame is unknown.
  bool IsWhole = false;
};

Unwound unwindStack(const UnwindSource &From, const RegisterNumbers &Of,
                    const DwarfRegisters &Registers);

} // namespace patchbay
