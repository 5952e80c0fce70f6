// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's registers by their numbers in unwind tables, for any target machine on any
// host.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace patchbay {

/// At least the number of registers of each machine below.
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

} // namespace patchbay
