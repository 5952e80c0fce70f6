// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One record of a block. Only this code knows the layout of its bytes.
#pragma once

#include "trace/format/format.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace patchbay {

struct DataRecord {
  static constexpr size_t Size = sizeof(pbd_record);

  uint64_t Time;
  uint64_t Detail;   // meaning depends on Kind: see pbd_record_kind
  uint32_t Function; // number of the function; PBD_VALUE and above: not a call
  uint32_t Frame;
  uint8_t Kind; // pbd_record_kind

  /// At has Size bytes. A record of another pass than the block's is read as
  /// PBD_RECORD_NONE, like a gap; then its other fields are meaningless.
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

} // namespace patchbay
