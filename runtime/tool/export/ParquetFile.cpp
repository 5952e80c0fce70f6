// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is github.com/apache/parquet-format. Its parquet.thrift has the
// numbers of types, encodings and fields; Encodings.md describes the contents
// of pages.
#include "ParquetFile.h"
#include "ParquetEncodings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace patchbay;

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

// A fast level suffices: the encodings have already removed most of the
// redundancy.
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

// Statistics: minimum and maximum of numbers. Readers use them to skip row groups.
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
