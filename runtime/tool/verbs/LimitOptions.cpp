// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LimitOptions.h"
#include "support/Diagnostics.h"
#include "support/DurationText.h"
#include "trace/options/options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <random>

using namespace llvm;
using namespace patchbay;

LimitOptions::LimitOptions(OptionTable &Table)
    : MaxMemory(Table, "max-memory", "SIZE",
                "Keep at most SIZE bytes of events per process; K, M or G, from 1M on "
                "(default: --buffer per thread)"),
      MaxSize(Table, "max-size", "SIZE",
              "Limit the disk space of all processes together; K, M or G, from 1M on. "
              "Events that exceed it are lost; with rotation the oldest files are removed "
              "instead"),
      RotateSize(Table, "rotate-size", "SIZE",
                 "Start a new file when one reaches SIZE; K, M or G, from 1M on. PROG also "
                 "listens for 'patchbay live'"),
      RotateEvery(Table, "rotate-every",
                  "Start a new file every DURATION: 60s. PROG also listens for 'patchbay "
                  "live'"),
      Keep(Table, "keep", "N",
           "Keep the newest N files of all processes together; needs --rotate-size or "
           "--rotate-every") {}

std::optional<uint64_t> patchbay::parseSize(StringRef Text) {
  static constexpr std::pair<char, unsigned> Shifts[] = {
      {'K', 10}, {'M', 20}, {'G', 30}};
  uint64_t Size = 0;
  if (Text.consumeInteger(10, Size) || Text.size() > 1)
    return std::nullopt;
  if (Text.empty())
    return Size;
  auto *Known = llvm::find_if(
      Shifts, [&](const auto &S) { return S.first == toUpper(Text[0]); });
  if (Known == std::end(Shifts))
    return std::nullopt;
  return SaturatingMultiply(Size, uint64_t(1) << Known->second);
}

// A size that runtime/trace/options/options.c accepts; 0 if the option was not given.
static Error readSize(const StringOption &Of, uint64_t &Bytes) {
  Bytes = 0;
  if (!Of.given())
    return Error::success();
  Bytes = parseSize(Of).value_or(0);
  if (Bytes >= PB_LIMIT_MIN)
    return Error::success();
  return makeError(Usage, Of.name() + ": '" + Of +
                              "' is not a size from 1M on, a whole number with one of "
                              "the units K, M, G");
}

Expected<RecordingLimits> LimitOptions::read(bool HasEvents) const {
  RecordingLimits Limits;
  std::random_device Random;
  uint64_t Memory, Rotate;
  if (Error E = readSize(MaxMemory, Memory))
    return std::move(E);
  if (Error E = readSize(MaxSize, Limits.MaxSize))
    return std::move(E);
  if (Error E = readSize(RotateSize, Rotate))
    return std::move(E);
  // The runtime counts milliseconds.
  if (RotateEvery.given() && RotateEvery < 1000000)
    return makeError(Usage, "--rotate-every: '" + RotateEvery.Text + "' is less than 1ms");
  Limits.Rotates = Rotate || RotateEvery.given();
  if (Keep.given() &&
      (!to_integer(Keep, Limits.Keep, 10) || !Limits.Keep))
    return makeError(Usage, "--keep: '" + Keep + "' is not a number from 1 on");
  if (Limits.Keep && !Limits.Rotates)
    return makeError(Usage, "--keep is for files that are rotated: add --rotate-size or "
                            "--rotate-every");
  if (Limits.MaxSize && Rotate > Limits.MaxSize / 2)
    return makeError(Usage, "--max-size: '" + MaxSize +
                                "' has no room for two files of --rotate-size: the "
                                "oldest is removed before the next is full");
  for (const OptionRow *Row :
       std::initializer_list<const OptionRow *>{&MaxMemory, &RotateSize, &RotateEvery})
    if (!HasEvents && Row->given())
      return makeError(Usage, Row->name() +
                                  " does nothing where calls are only counted: "
                                  "choose another tracer with -t, or --histogram");
  while ((Limits.Rotates || Limits.MaxSize) && !Limits.Recording)
    Limits.Recording = uint64_t(Random()) << 32 | Random();
  return Limits;
}

std::string LimitOptions::text() const {
  std::string Text;
  for (const StringOption *Row : {&MaxMemory, &MaxSize, &RotateSize, &Keep})
    if (Row->given())
      Text += ("," + Row->Names + "=" + *Row).str();
  if (RotateEvery.given())
    Text +=
        ",rotate-every=" + utostr(RotateEvery / 1000000) + "ms";
  return Text;
}
