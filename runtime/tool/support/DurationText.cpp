// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DurationText.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

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
