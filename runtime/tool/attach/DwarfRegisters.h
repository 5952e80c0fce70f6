// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a thread by the numbers that unwind tables have for them, of whatever
// machine it is, on whatever machine this runs.
#ifndef PATCHBAY_TOOL_ATTACH_DWARFREGISTERS_H
#define PATCHBAY_TOOL_ATTACH_DWARFREGISTERS_H

#include <array>
#include <cstdint>
#include <optional>

namespace patchbay {

/// More than any of the machines below has.
constexpr unsigned MaxDwarfRegisters = 33;

/// By number; std::nullopt: not known in this frame.
using DwarfRegisters =
    std::array<std::optional<uint64_t>, MaxDwarfRegisters>;

struct RegisterNumbers {
  unsigned Number;
  unsigned StackPointer;
  unsigned ReturnAddress; // what tables call so
  unsigned Pc;            // where it goes on
  uint64_t Preserved;     // a bit for each: a function gives it back as it was

  bool isPreserved(unsigned Register) const {
    return Preserved >> Register & 1;
  }
  /// Calls leave the return address in a register of its own, and not on the stack.
  bool hasLink() const { return Pc != ReturnAddress; }
};

/// System V ABI, AMD64 supplement, figure 3.36. What is executed stands for the return
/// address; rbx, rbp, r12 to r15 are preserved.
inline constexpr RegisterNumbers NumbersOfX86_64 = {
    17, 7, 16, 16, 1 << 3 | 1 << 6 | 0xf << 12};

/// DWARF for the Arm 64-bit Architecture, 4.1; x19 to x29 are preserved.
inline constexpr RegisterNumbers NumbersOfAArch64 = {33, 31, 30, 32, 0x7ff << 19};

} // namespace patchbay

#endif
