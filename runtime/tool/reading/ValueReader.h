// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects arguments, results and jumps until the record of their call is read. These
// records precede the call's record (see PBD_VALUE). Only records of signal handlers may
// be between them.
#pragma once

#include "DataFile.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace patchbay {

/// One record of a block.
struct DataRecord {
  static constexpr size_t Size = sizeof(pbd_record);

  uint64_t Time;
  uint64_t Detail;   // meaning depends on Kind: see pbd_record_kind
  uint32_t Function; // number of the function; PBD_VALUE and above: not a call
  uint32_t Frame;
  uint8_t Kind; // pbd_record_kind

  /// At has Size bytes. A record of another pass than the block's is read as
  /// PBD_RECORD_NONE, like a gap; its remaining fields are then invalid.
  static DataRecord read(const char *At, uint8_t Pass) {
    pbd_record R;
    memcpy(&R, At, sizeof(R));
    uint8_t LastPass = R.last >> PBD_KIND_BITS & ((1u << PBD_PASS_BITS) - 1);
    uint8_t Kind = R.last & ((1u << PBD_KIND_BITS) - 1);
    return {R.time, R.last >> PBD_DETAIL_SHIFT, R.function, R.frame,
            LastPass == Pass ? Kind : uint8_t(PBD_RECORD_NONE)};
  }
  /// The bits of a block's pass that read() expects.
  static uint8_t passBits(uint64_t Pass) {
    return Pass % (1u << PBD_PASS_BITS);
  }
  bool isCall() const { return Function < PBD_VALUE; }
  /// When the record was written: at the call's entry or exit.
  uint64_t written() const {
    return Kind == PBD_RECORD_ENTRY ? Time : llvm::SaturatingAdd(Time, Detail);
  }
};

class ValueReader {
public:
  /// Adds a record that is not a call.
  void add(const DataRecord &R) {
    // Signal handlers do not nest this deep. So the calls of the collected values were
    // lost: drop the values.
    if (Values.size() + Jumps.size() == Most)
      *this = {};
    Key Of = {R.Frame, uint32_t(R.Detail)};
    if (R.Function == PBD_JUMPED)
      Jumps.insert(Of);
    else
      addValue(Values[Of], R);
  }
  /// Removes and returns the values of the call.
  std::optional<DataValues> takeValues(const DataRecord &Call) {
    auto At = Values.find({Call.Frame, Call.Function});
    if (At == Values.end())
      return std::nullopt;
    DataValues Found = std::move(At->second);
    Values.erase(At);
    return Found;
  }
  bool takeJump(const DataRecord &Call) {
    return Jumps.erase({Call.Frame, Call.Function}) != 0;
  }
  bool empty() const { return Values.empty() && Jumps.empty(); }

private:
  static constexpr size_t Most = 64;
  static constexpr size_t MostParts = 256;
  using Key = std::pair<uint32_t, uint32_t>; // frame, function

  static void addValue(DataValues &Of, const DataRecord &R) {
    uint32_t Which = R.Function - PBD_VALUE;
    if (R.Function == PBD_TYPED) {
      uint8_t Field = R.Detail >> PBD_TYPED_VALUE_SHIFT;
      uint8_t Part = R.Detail >> PBD_TYPED_PART_SHIFT;
      // The parts collected so far belong to a lost call.
      if (Of.Typed.size() == MostParts)
        Of = {};
      Of.Typed.push_back({Field, Part,
                          uint8_t(R.Detail >> PBD_TYPED_STATE_SHIFT), R.Time});
      Of.IsRecorded = true;
      return;
    }
    if (R.Function == PBD_SLOW_CALL) {
      Of.Slow = R.Time;
      return;
    }
    if (R.Function == PBD_SLOW_COST) {
      Of.SlowCost = R.Time;
      return;
    }
    if (R.Function >= PBD_CONTEXT && R.Function < PBD_CONTEXT + 3) {
      if (!Of.Context)
        Of.Context.emplace();
      (*Of.Context)[R.Function - PBD_CONTEXT] = R.Time;
      return;
    }
    if (!Which) // first argument: the values collected so far belong to a lost call
      Of = {};
    if (Which < PBD_VALUE_ARGS && Which == Of.Args.size()) {
      Of.Args.push_back(R.Time);
      Of.IsRecorded = true;
    } else if (Which == PBD_VALUE_RESULT || Which == PBD_VALUE_RESULT_FP) {
      Of.Result = R.Time;
      Of.IsFloat = Which == PBD_VALUE_RESULT_FP;
      Of.IsRecorded = true;
    }
  }

  std::map<Key, DataValues> Values;
  std::set<Key> Jumps;
};

} // namespace patchbay
