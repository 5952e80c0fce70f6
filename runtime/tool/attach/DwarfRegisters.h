// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of x86-64 by the numbers that unwind tables have for them, on whatever
// machine this runs.
#ifndef PATCHBAY_TOOL_ATTACH_DWARFREGISTERS_H
#define PATCHBAY_TOOL_ATTACH_DWARFREGISTERS_H

#include <array>
#include <cstdint>
#include <optional>

namespace patchbay {

constexpr unsigned NumDwarfRegisters = 17;
constexpr unsigned DwarfStackPointer = 7;
constexpr unsigned DwarfReturnAddress = 16;
/// What a function has to give back to its caller as it was: rbx, rbp, r12 to r15.
constexpr bool isPreserved(unsigned Register) {
  return Register == 3 || Register == 6 || (Register >= 12 && Register <= 15);
}
/// By number; std::nullopt: not known in this frame.
using DwarfRegisters =
    std::array<std::optional<uint64_t>, NumDwarfRegisters>;

} // namespace patchbay

#endif
