// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs columns of Apache Parquet into bits: see Encodings.md of
// github.com/apache/parquet-format.
#pragma once

#include "CompactThrift.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <type_traits>

namespace patchbay {

inline void appendNumber(std::string &To, uint64_t Value, unsigned Bytes) {
  for (unsigned I = 0; I != Bytes; ++I)
    To += char(Value >> 8 * I);
}

/// Appends the Width low bits of each value, lowest bit first.
inline void appendBits(std::string &To, llvm::ArrayRef<uint64_t> Values,
                       unsigned Width) {
  size_t At = To.size();
  To.resize(At + llvm::divideCeil(Values.size() * Width, 8));
  unsigned __int128 Waiting = 0;
  unsigned Bits = 0;
  for (uint64_t Value : Values) {
    Waiting |= (unsigned __int128)(Value) << Bits;
    for (Bits += Width; Bits >= 8; Bits -= 8, Waiting >>= 8)
      To[At++] = char(Waiting);
  }
  if (Bits)
    To[At] = char(Waiting);
}

/// RLE and bit packing: one run if all values are equal, otherwise packed values.
inline std::string hybrid(llvm::ArrayRef<uint64_t> Values, unsigned Width) {
  std::string Bytes;
  if (!Values.empty() && llvm::all_equal(Values)) {
    appendVarint(Bytes, uint64_t(Values.size()) << 1);
    appendNumber(Bytes, Values.front(), llvm::divideCeil(Width, 8));
    return Bytes;
  }
  uint64_t Groups = llvm::divideCeil(Values.size(), 8);
  appendVarint(Bytes, Groups << 1 | 1);
  size_t Begin = Bytes.size();
  appendBits(Bytes, Values, Width);
  Bytes.resize(Begin + Groups * Width);
  return Bytes;
}

/// DELTA_BINARY_PACKED: stores the difference of each value to the previous
/// one, in blocks of 128, minus the block's least difference. Times and
/// repeated values need almost no space. T is the column's type, in which
/// differences wrap.
template <typename T>
std::string deltaPacked(llvm::ArrayRef<uint64_t> Values) {
  using U = std::make_unsigned_t<T>;
  constexpr size_t InBlock = 128, InMiniblock = 32;
  auto ZigZag = [](T Value) {
    return uint64_t(int64_t(Value)) << 1 ^ uint64_t(int64_t(Value) >> 63);
  };
  std::string Bytes;
  appendVarint(Bytes, InBlock);
  appendVarint(Bytes, InBlock / InMiniblock);
  appendVarint(Bytes, Values.size());
  appendVarint(Bytes, ZigZag(Values.empty() ? 0 : T(Values[0])));
  for (size_t From = 1; From < Values.size(); From += InBlock) {
    size_t Size = std::min(InBlock, Values.size() - From);
    uint64_t Deltas[InBlock] = {};
    T Least = std::numeric_limits<T>::max();
    for (size_t I = 0; I != Size; ++I) {
      T Delta = T(U(Values[From + I]) - U(Values[From + I - 1]));
      Least = std::min(Least, Delta);
      Deltas[I] = uint64_t(Delta);
    }
    for (size_t I = 0; I != Size; ++I)
      Deltas[I] = U(U(Deltas[I]) - U(Least));
    appendVarint(Bytes, ZigZag(Least));
    size_t WidthsAt = Bytes.size();
    Bytes.append(InBlock / InMiniblock, 0);
    for (size_t M = 0; M * InMiniblock < Size; ++M) {
      auto Mini = llvm::ArrayRef(Deltas).slice(M * InMiniblock, InMiniblock);
      uint64_t All = 0;
      for (uint64_t Delta : Mini)
        All |= Delta;
      unsigned Width = All ? llvm::Log2_64(All) + 1 : 0;
      Bytes[WidthsAt + M] = char(Width);
      appendBits(Bytes, Mini, Width);
    }
  }
  return Bytes;
}

} // namespace patchbay
