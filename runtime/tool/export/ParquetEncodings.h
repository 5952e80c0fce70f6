// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs columns of Apache Parquet into bits: see Encodings.md of
// github.com/apache/parquet-format.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <string>
#include <type_traits>

namespace patchbay {

inline void appendVarint(std::string &To, uint64_t Value) {
  uint8_t Buffer[10];
  To.append(reinterpret_cast<char *>(Buffer),
            llvm::encodeULEB128(Value, Buffer));
}

/// A structure in Thrift's compact protocol, which Parquet's metadata uses.
/// Callers add fields in increasing order of their numbers. Each number exceeds
/// the previous one by at most 15.
class CompactThrift {
public:
  CompactThrift &boolean(unsigned Field, bool Value) {
    return header(Field, Value ? True : False);
  }
  CompactThrift &i32(unsigned Field, int32_t Value) {
    header(Field, I32);
    zigzag(Value);
    return *this;
  }
  CompactThrift &i64(unsigned Field, int64_t Value) {
    header(Field, I64);
    zigzag(Value);
    return *this;
  }
  CompactThrift &text(unsigned Field, llvm::StringRef Value) {
    header(Field, Binary);
    binary(Value);
    return *this;
  }
  CompactThrift &structure(unsigned Field, const CompactThrift &Value) {
    header(Field, Struct);
    Bytes += Value.str();
    return *this;
  }
  CompactThrift &list(unsigned Field, llvm::ArrayRef<int32_t> Values) {
    listHeader(Field, I32, Values.size());
    for (int32_t Value : Values)
      zigzag(Value);
    return *this;
  }
  CompactThrift &list(unsigned Field, llvm::StringRef OnlyValue) {
    listHeader(Field, Binary, 1);
    binary(OnlyValue);
    return *this;
  }
  /// A list of structures, which were serialized by str().
  CompactThrift &list(unsigned Field, llvm::ArrayRef<std::string> Structures) {
    listHeader(Field, Struct, Structures.size());
    for (const std::string &Structure : Structures)
      Bytes += Structure;
    return *this;
  }
  std::string str() const { return Bytes + '\0'; }

private:
  enum TypeT { True = 1, False, I32 = 5, I64, Binary = 8, List, Struct = 12 };

  CompactThrift &header(unsigned Field, TypeT Type) {
    Bytes += char((Field - Last) << 4 | Type);
    Last = Field;
    return *this;
  }
  void listHeader(unsigned Field, TypeT Type, size_t Size) {
    header(Field, List);
    Bytes += char(std::min<size_t>(Size, 15) << 4 | Type);
    if (Size >= 15)
      appendVarint(Bytes, Size);
  }
  void zigzag(int64_t Value) {
    appendVarint(Bytes, uint64_t(Value) << 1 ^ uint64_t(Value >> 63));
  }
  void binary(llvm::StringRef Value) {
    appendVarint(Bytes, Value.size());
    Bytes += Value;
  }

  std::string Bytes;
  unsigned Last = 0;
};

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
