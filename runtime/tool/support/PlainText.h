// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for short strings. printable() makes strings from files safe for a terminal.
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

namespace patchbay {

/// Replaces control characters by '?'.
std::string printable(llvm::StringRef Text);

/// A number and a noun: "1 function", "2 functions".
std::string counted(uint64_t N, llvm::StringRef What);

/// Shortens text to at most Size bytes. "..." replaces the middle.
std::string shortened(llvm::StringRef Text, size_t Size);

/// Do the bytes before and after At belong to the same UTF-8 character?
bool isWithinCharacter(llvm::StringRef Text, size_t At);

/// Reads "1.5ms" as nanoseconds. A number without a unit is multiplied by
/// Alone. std::nullopt if Text is no duration.
std::optional<uint64_t> parseNs(llvm::StringRef Text, double Alone);

/// Does Text end with a unit of time?
bool hasUnit(llvm::StringRef Text);

/// Reads the value of an option, such as "--min", as nanoseconds. Only 0 needs no unit. All
/// other numbers need a unit, since tools have different defaults: nanoseconds in uftrace -t,
/// microseconds in ftrace's tracing_thresh, milliseconds in perf stat -I, and seconds in top -d.
llvm::Expected<uint64_t> readDuration(llvm::StringRef Option,
                                      llvm::StringRef Text);

/// A duration in the format of PATCHBAY: "1500000ns".
std::string durationWord(uint64_t Ns);

/// Writes decimal digits that end before At, padded with Pad to Width. Returns the address of the
/// first digit. Used for millions of lines, since printf() is too slow.
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
