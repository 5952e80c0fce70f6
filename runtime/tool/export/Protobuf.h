// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages in the encoding of Protocol Buffers (protobuf.dev/programming-guides/encoding).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LEB128.h"
#include <string>

namespace patchbay {

/// A message under construction. Fields are written in the order of calls.
class ProtobufMessage {
public:
  void number(unsigned Field, uint64_t Value) {
    varint(Field << 3 | 0);
    varint(Value);
  }
  void fixed64(unsigned Field, uint64_t Value) {
    varint(Field << 3 | 1);
    char Buffer[8];
    llvm::support::endian::write64le(Buffer, Value);
    Bytes.append(Buffer, sizeof(Buffer));
  }
  void fixed32(unsigned Field, uint32_t Value) {
    varint(Field << 3 | 5);
    char Buffer[4];
    llvm::support::endian::write32le(Buffer, Value);
    Bytes.append(Buffer, sizeof(Buffer));
  }
  void bytes(unsigned Field, llvm::StringRef Value) {
    varint(Field << 3 | 2);
    varint(Value.size());
    Bytes += Value;
  }
  /// A string, which must be UTF-8 in protobuf.
  void text(unsigned Field, llvm::StringRef Value) {
    bytes(Field, llvm::json::fixUTF8(Value));
  }
  void message(unsigned Field, const ProtobufMessage &Value) {
    bytes(Field, Value.Bytes);
  }
  /// Several numbers of a "repeated" field, packed as in proto3.
  void packed(unsigned Field, llvm::ArrayRef<uint64_t> Values) {
    ProtobufMessage All;
    for (uint64_t V : Values)
      All.varint(V);
    message(Field, All);
  }
  /// Appends the fields of another message of the same type.
  void append(const ProtobufMessage &Other) { Bytes += Other.Bytes; }
  llvm::StringRef str() const { return Bytes; }

private:
  void varint(uint64_t Value) {
    uint8_t Buffer[10];
    unsigned Size = llvm::encodeULEB128(Value, Buffer);
    Bytes.append(reinterpret_cast<char *>(Buffer), Size);
  }

  std::string Bytes;
};

} // namespace patchbay
