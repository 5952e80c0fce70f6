// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlainText.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

// The size of a control character at the beginning of Text; 0 if Text begins with another
// character. Includes control characters of Latin-1, which terminals obey, and characters that
// change the direction of text.
static size_t controlSize(StringRef Text) {
  unsigned char C = Text.front();
  if (C >= 0x20 && C < 0x7f) // true of nearly all characters
    return 0;
  if (C < 0x20 || C == 0x7f)
    return 1;
  if (Text.size() >= 2 && C == 0xc2 && static_cast<unsigned char>(Text[1]) < 0xa0)
    return 2; // U+0080 to U+009F
  auto IsBetween = [&](StringRef First, StringRef Last) {
    StringRef Three = Text.take_front(3);
    return Three.size() == 3 && Three >= First && Three <= Last;
  };
  if (IsBetween("\u202a", "\u202e") || IsBetween("\u2066", "\u2069"))
    return 3;
  return 0;
}

std::string patchbay::printable(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    size_t Size = controlSize(Text);
    Result += Size ? '?' : Text.front();
    Text = Text.drop_front(std::max<size_t>(Size, 1));
  }
  return Result;
}

bool patchbay::isWithinCharacter(StringRef Text, size_t At) {
  return At && At < Text.size() &&
         (static_cast<unsigned char>(Text[At]) & 0xc0) == 0x80;
}

std::string patchbay::shortened(StringRef Text, size_t Size) {
  static constexpr StringLiteral Dots = "...";
  if (Text.size() <= Size || Size < Dots.size())
    return Text.str();
  size_t Head = (Size - Dots.size() + 1) / 2;
  size_t Tail = Text.size() - (Size - Dots.size() - Head);
  while (isWithinCharacter(Text, Head))
    --Head;
  while (isWithinCharacter(Text, Tail))
    ++Tail;
  return (Text.take_front(Head) + Dots + Text.drop_front(Tail)).str();
}

std::string patchbay::counted(uint64_t N, StringRef What) {
  StringRef Plural = What.ends_with("s") ? "es" : "s";
  return utostr(N) + " " + What.str() + (N == 1 ? "" : Plural.str());
}

// About 2500000h, the longest duration that fits into a signed number.
static constexpr double MostNs = 9e18;

// Reads a duration of any length.
static std::optional<double> readNs(StringRef Text, double Alone) {
  static constexpr std::pair<StringLiteral, double> Units[] = {
      {"ns", 1},  {"us", 1e3}, {"ms", 1e6},
      {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  double Unit = Alone, Number;
  for (auto [Name, Ns] : Units)
    if (Text.consume_back(Name)) {
      Unit = Ns;
      break;
    }
  if (Text.empty() ||
      Text.find_first_not_of("0123456789.") != StringRef::npos ||
      Text.getAsDouble(Number))
    return std::nullopt;
  // Round: with more than nine decimal places, a double may be slightly too
  // small.
  return std::round(Number * Unit);
}

std::optional<uint64_t> patchbay::parseNs(StringRef Text, double Alone) {
  std::optional<double> Ns = readNs(Text, Alone);
  return Ns && *Ns < MostNs ? std::optional(uint64_t(*Ns)) : std::nullopt;
}

bool patchbay::hasUnit(StringRef Text) {
  return !Text.empty() && isAlpha(Text.back());
}

Expected<uint64_t> patchbay::readDuration(StringRef Option, StringRef Text) {
  std::optional<double> Ns = readNs(Text, 1e9);
  if (!Ns)
    return makeError(Usage,
                     Option + ": '" + Text +
                         "' is not a duration, a number with one of the units "
                         "ns, us, ms, s, m, h");
  if (*Ns && !hasUnit(Text))
    return makeError(Usage, Option + ": '" + Text + "' has no unit: write " +
                                Text + "ns, " + Text + "us, " + Text +
                                "ms or " + Text + "s");
  if (*Ns >= MostNs)
    return makeError(Usage,
                     Option + ": '" + Text + "' is not less than 2500000h");
  if (!*Ns && Text.find_first_of("123456789") != StringRef::npos)
    return makeError(Usage, Option + ": '" + Text + "' is less than 1ns");
  return uint64_t(*Ns);
}

std::string patchbay::durationWord(uint64_t Ns) { return utostr(Ns) + "ns"; }
