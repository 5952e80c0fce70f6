// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats numbers for millions of lines, where printf() would be most of the work.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>

namespace patchbay {

/// Writes decimal digits that end before At, padded with Pad to Width. Returns their
/// beginning.
inline char *digitsBefore(char *At, uint64_t Value, unsigned Width, char Pad) {
  char *Least = At - Width;
  do
    *--At = '0' + Value % 10;
  while (Value /= 10);
  while (At > Least)
    *--At = Pad;
  return At;
}

/// Appends Value divided by Unit, with this number of decimal places: "1.005"
/// for 1005 and Unit 1000. Both parts are at most 32 characters wide.
inline void appendDecimal(std::string &To, uint64_t Value, uint64_t Unit,
                          unsigned Places, unsigned Width = 1) {
  char Digits[65];
  char *At = digitsBefore(std::end(Digits), Value % Unit, Places, '0');
  *--At = '.';
  At = digitsBefore(At, Value / Unit, Width, ' ');
  To.append(At, std::end(Digits));
}

/// Appends Text, right-aligned in Width characters.
inline void appendRight(std::string &To, const std::string &Text, unsigned Width) {
  if (Text.size() < Width)
    To.append(Width - Text.size(), ' ');
  To += Text;
}

} // namespace patchbay
