// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is specified in github.com/apache/parquet-format. parquet.thrift has the numbers
// of types, encodings and fields. Encodings.md describes the contents of pages.
#include "ParquetFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <string>
#include <type_traits>

using namespace llvm;
using namespace patchbay;

//===----------------------------------------------------------------------===//
// Encodings (Encodings.md of github.com/apache/parquet-format)
//===----------------------------------------------------------------------===//

namespace patchbay {

static void appendVarint(std::string &To, uint64_t Value) {
  uint8_t Buffer[10];
  To.append(reinterpret_cast<char *>(Buffer),
            llvm::encodeULEB128(Value, Buffer));
}

/// A structure in Thrift's compact protocol, which Parquet's metadata uses. Callers must add
/// fields in increasing order of their numbers, with differences of at most 15.
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

static void appendNumber(std::string &To, uint64_t Value, unsigned Bytes) {
  for (unsigned I = 0; I != Bytes; ++I)
    To += char(Value >> 8 * I);
}

/// Appends the Width low bits of each value, lowest bit first.
static void appendBits(std::string &To, llvm::ArrayRef<uint64_t> Values,
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
static std::string hybrid(llvm::ArrayRef<uint64_t> Values, unsigned Width) {
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

/// DELTA_BINARY_PACKED: stores the differences between consecutive values, in blocks of 128,
/// minus the block's least difference. Times and repeated values need almost no space. T:
/// the column's type, in which differences wrap.
template <typename T>
static std::string deltaPacked(llvm::ArrayRef<uint64_t> Values) {
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

//===----------------------------------------------------------------------===//
// ParquetFile
//===----------------------------------------------------------------------===//


static constexpr char Magic[] = "PAR1";
// Readers assign whole row groups to their threads.
static constexpr uint64_t RowsPerGroup = 1 << 17;

namespace {
enum Types { PhysicalInt32 = 1, PhysicalInt64 = 2, ByteArray = 6 };
enum Encodings { Plain = 0, Rle = 3, DeltaBinaryPacked = 5, RleDictionary = 8 };
enum Codecs { Stored = 0, Zstd = 6 };
enum PageTypes { DataPage = 0, DictionaryPage = 2 };
enum Repetitions { Required = 0, Optional = 1 };
enum ConvertedTypes { Utf8 = 0 };
} // namespace

static int32_t physicalType(ParquetFile::TypeT Type) {
  switch (Type) {
  case ParquetFile::Int32:
    return PhysicalInt32;
  case ParquetFile::Int64:
  case ParquetFile::Time:
    return PhysicalInt64;
  case ParquetFile::Text:
    return ByteArray;
  }
  llvm_unreachable("all types are above");
}

ParquetFile::ParquetFile(ArrayRef<Field> Fields, raw_ostream &OS) : OS(OS) {
  for (const Field &F : Fields)
    Columns.push_back({F, {}, {}, {}, {}});
  write(Magic);
}

void ParquetFile::write(StringRef Bytes) {
  OS << Bytes;
  Written += Bytes.size();
}

void ParquetFile::nextCell() {
  if (++Cell != Columns.size())
    return;
  Cell = 0;
  if (++Rows == RowsPerGroup)
    flush();
}

void ParquetFile::add(int64_t Value) {
  Column &C = Columns[Cell];
  C.Values.push_back(Value);
  C.Defined.push_back(1);
  nextCell();
}

void ParquetFile::add(StringRef Value) {
  Column &C = Columns[Cell];
  auto [At, New] = C.Known.try_emplace(Value, uint32_t(C.Known.size()));
  if (New) {
    std::string Text = json::fixUTF8(Value);
    appendNumber(C.Dictionary, Text.size(), 4);
    C.Dictionary += Text;
  }
  add(At->second);
}

void ParquetFile::addNull() {
  Columns[Cell].Defined.push_back(0);
  nextCell();
}

// A fast level suffices, since the encodings have already removed most of the redundancy.
static constexpr int ZstdLevel = 1;

static Codecs codec() {
  return compression::zstd::isAvailable() ? Zstd : Stored;
}

void ParquetFile::writePage(StringRef Body, int32_t Type, unsigned Field,
                            const CompactThrift &Description) {
  SmallVector<uint8_t> Small;
  StringRef Bytes = Body;
  if (codec() == Zstd) {
    compression::zstd::compress(arrayRefFromStringRef(Body), Small, ZstdLevel);
    Bytes = toStringRef(Small);
  }
  std::string Head = CompactThrift()
                         .i32(1, Type)
                         .i32(2, Body.size())
                         .i32(3, Bytes.size())
                         .structure(Field, Description)
                         .str();
  write(Head);
  write(Bytes);
  Uncompressed += Head.size() + Body.size();
}

// Statistics, by which readers skip row groups: minimum and maximum of numbers.
static CompactThrift statistics(ArrayRef<uint64_t> Values, bool Is32) {
  int64_t Least = INT64_MAX, Most = INT64_MIN;
  for (int64_t Value : Values) {
    if (Is32)
      Value = int32_t(Value);
    Least = std::min(Least, Value);
    Most = std::max(Most, Value);
  }
  auto Bytes = [&](int64_t Value) {
    std::string Of;
    appendNumber(Of, Value, Is32 ? 4 : 8);
    return Of;
  };
  CompactThrift Of;
  Of.text(5, Bytes(Most)).text(6, Bytes(Least));
  return Of;
}

// Writes a column chunk, and returns its metadata.
std::string ParquetFile::writeColumn(Column &C) {
  uint64_t Begin = Written, Before = Uncompressed;
  bool IsText = C.Is.Type == Text, Is32 = C.Is.Type == Int32;
  CompactThrift Meta;
  Meta.i32(1, physicalType(C.Is.Type))
      .list(2, ArrayRef<int32_t>({Plain, Rle, DeltaBinaryPacked, RleDictionary}))
      .list(3, StringRef(C.Is.Name))
      .i32(4, codec())
      .i64(5, C.Defined.size());

  std::string Body;
  if (C.Is.Optional) {
    std::string Levels = hybrid(C.Defined, 1);
    appendNumber(Body, Levels.size(), 4);
    Body += Levels;
  }
  if (IsText) {
    writePage(C.Dictionary, DictionaryPage, 7,
              CompactThrift().i32(1, C.Known.size()).i32(2, Plain));
    unsigned Width = std::max(Log2_64_Ceil(C.Known.size()), 1u);
    Body += char(Width);
    Body += hybrid(C.Values, Width);
  } else if (Is32) {
    Body += deltaPacked<int32_t>(C.Values);
  } else {
    Body += deltaPacked<int64_t>(C.Values);
  }
  uint64_t DataAt = Written;
  writePage(Body, DataPage, 5,
            CompactThrift()
                .i32(1, C.Defined.size())
                .i32(2, IsText ? RleDictionary : DeltaBinaryPacked)
                .i32(3, Rle)
                .i32(4, Rle));

  Meta.i64(6, Uncompressed - Before).i64(7, Written - Begin).i64(9, DataAt);
  if (IsText)
    Meta.i64(11, Begin);
  else if (!C.Values.empty())
    Meta.structure(12, statistics(C.Values, Is32));
  C = {C.Is, {}, {}, {}, {}};
  return CompactThrift().i64(2, Begin).structure(3, Meta).str();
}

void ParquetFile::flush() {
  if (!Rows)
    return;
  uint64_t Before = Uncompressed;
  std::vector<std::string> Chunks;
  for (Column &C : Columns)
    Chunks.push_back(writeColumn(C));
  Groups.push_back(CompactThrift()
                       .list(1, Chunks)
                       .i64(2, Uncompressed - Before)
                       .i64(3, Rows)
                       .str());
  AllRows += Rows;
  Rows = 0;
}

// Serializes a SchemaElement.
static std::string describe(const ParquetFile::Field &F) {
  CompactThrift Element;
  Element.i32(1, physicalType(F.Type))
      .i32(3, F.Optional ? Optional : Required)
      .text(4, F.Name);
  if (F.Type == ParquetFile::Text)
    Element.i32(6, Utf8).structure(10, CompactThrift().structure(1, {}));
  if (F.Type == ParquetFile::Time) {
    CompactThrift Nanoseconds, Timestamp;
    Nanoseconds.structure(3, {});
    Timestamp.boolean(1, /*isAdjustedToUTC=*/true).structure(2, Nanoseconds);
    Element.structure(10, CompactThrift().structure(8, Timestamp));
  }
  return Element.str();
}

void ParquetFile::finish() {
  flush();
  std::vector<std::string> Schema;
  Schema.push_back(
      CompactThrift().text(4, "calls").i32(5, Columns.size()).str());
  for (const Column &C : Columns)
    Schema.push_back(describe(C.Is));
  // ColumnOrder: the statistics use the natural order of the type.
  CompactThrift Order;
  Order.structure(1, {});
  std::vector<std::string> Orders(Columns.size(), Order.str());
  std::string Footer = CompactThrift()
                           .i32(1, 1)
                           .list(2, Schema)
                           .i64(3, AllRows)
                           .list(4, Groups)
                           .text(6, "patchbay")
                           .list(7, Orders)
                           .str();
  appendNumber(Footer, Footer.size(), 4);
  write(Footer + Magic);
}
