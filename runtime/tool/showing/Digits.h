// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in lines of which there are millions, where printf() is most of the work.
#ifndef PATCHBAY_TOOL_DIGITS_H
#define PATCHBAY_TOOL_DIGITS_H

#include <cstdint>
#include <iterator>
#include <string>

namespace patchbay {

/// In decimal digits, with Pad before it until these are Width.
inline void appendDigits(std::string &To, uint64_t Value, unsigned Width = 1,
                         char Pad = ' ') {
  char Digits[20], *At = std::end(Digits);
  do
    *--At = '0' + Value % 10;
  while (Value /= 10);
  unsigned Size = std::end(Digits) - At;
  if (Size < Width)
    To.append(Width - Size, Pad);
  To.append(At, Size);
}

/// Whole.Part, of which there are Unit in a whole one: as 1.005 of 1005 and 1000.
inline void appendDecimal(std::string &To, uint64_t Value, uint64_t Unit,
                          unsigned Places, unsigned Width = 1) {
  appendDigits(To, Value / Unit, Width);
  To += '.';
  appendDigits(To, Value % Unit, Places, '0');
}

/// Text at the right end of Width characters.
inline void appendRight(std::string &To, const std::string &Text, unsigned Width) {
  if (Text.size() < Width)
    To.append(Width - Text.size(), ' ');
  To += Text;
}

} // namespace patchbay

#endif
