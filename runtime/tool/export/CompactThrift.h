// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure in Thrift's compact protocol, which Parquet's metadata uses.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LEB128.h"
#include <string>

namespace patchbay {

inline void appendVarint(std::string &To, uint64_t Value) {
  uint8_t Buffer[10];
  To.append(reinterpret_cast<char *>(Buffer),
            llvm::encodeULEB128(Value, Buffer));
}

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

} // namespace patchbay
