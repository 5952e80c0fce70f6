// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is github.com/apache/parquet-format: parquet.thrift has the
// numbers of types, encodings and fields, Encodings.md what is in pages.
#include "ParquetFile.h"
#include "CompactThrift.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace patchbay;

static constexpr char Magic[] = "PAR1";
// Readers give a row group to each of their threads.
static constexpr uint64_t RowsPerGroup = 1 << 17;

namespace {
enum Types { PhysicalInt32 = 1, PhysicalInt64 = 2, ByteArray = 6 };
enum Encodings { Plain = 0, Rle = 3, RleDictionary = 8 };
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

static void appendNumber(std::string &To, uint64_t Value, unsigned Bytes) {
  for (unsigned I = 0; I != Bytes; ++I)
    To += char(Value >> 8 * I);
}

// The hybrid encoding, as one run of bit-packed values.
static std::string bitPacked(ArrayRef<uint64_t> Values, unsigned Width) {
  std::string Bytes;
  uint64_t Groups = divideCeil(Values.size(), 8);
  appendVarint(Bytes, Groups << 1 | 1);
  size_t Begin = Bytes.size();
  Bytes.resize(Begin + Groups * Width);
  uint64_t Bit = 0;
  for (uint64_t Value : Values)
    for (unsigned I = 0; I != Width; ++I, ++Bit)
      if (Value >> I & 1)
        Bytes[Begin + Bit / 8] |= 1 << Bit % 8;
  return Bytes;
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
    writeRowGroup();
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

// Returns the chunk's metadata.
std::string ParquetFile::writeColumn(Column &C) {
  uint64_t Begin = Written;
  CompactThrift Meta;
  Meta.i32(1, physicalType(C.Is.Type))
      .list(2, ArrayRef<int32_t>({Plain, Rle, RleDictionary}))
      .list(3, StringRef(C.Is.Name))
      .i32(4, 0) // not compressed
      .i64(5, C.Defined.size());
  auto Page = [&](PageTypes Type, StringRef Body, unsigned Field,
                  const CompactThrift &Description) {
    write(CompactThrift()
              .i32(1, Type)
              .i32(2, Body.size())
              .i32(3, Body.size())
              .structure(Field, Description)
              .str());
    write(Body);
  };

  std::string Body;
  if (C.Is.Optional) {
    std::string Levels = bitPacked(C.Defined, 1);
    appendNumber(Body, Levels.size(), 4);
    Body += Levels;
  }
  bool IsText = C.Is.Type == Text;
  if (IsText) {
    Page(DictionaryPage, C.Dictionary, 7,
         CompactThrift().i32(1, C.Known.size()).i32(2, Plain));
    unsigned Width = std::max(Log2_64_Ceil(C.Known.size()), 1u);
    Body += char(Width);
    Body += bitPacked(C.Values, Width);
  } else {
    for (uint64_t Value : C.Values)
      appendNumber(Body, Value, C.Is.Type == Int32 ? 4 : 8);
  }
  uint64_t DataAt = Written;
  Page(DataPage, Body, 5,
       CompactThrift()
           .i32(1, C.Defined.size())
           .i32(2, IsText ? RleDictionary : Plain)
           .i32(3, Rle)
           .i32(4, Rle));

  Meta.i64(6, Written - Begin).i64(7, Written - Begin).i64(9, DataAt);
  if (IsText)
    Meta.i64(11, Begin);
  C = {C.Is, {}, {}, {}, {}};
  return CompactThrift().i64(2, Begin).structure(3, Meta).str();
}

void ParquetFile::writeRowGroup() {
  uint64_t Begin = Written;
  std::vector<std::string> Chunks;
  for (Column &C : Columns)
    Chunks.push_back(writeColumn(C));
  Groups.push_back(CompactThrift()
                       .list(1, Chunks)
                       .i64(2, Written - Begin)
                       .i64(3, Rows)
                       .str());
  AllRows += Rows;
  Rows = 0;
}

// SchemaElement
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
  if (Rows)
    writeRowGroup();
  std::vector<std::string> Schema;
  Schema.push_back(
      CompactThrift().text(4, "calls").i32(5, Columns.size()).str());
  for (const Column &C : Columns)
    Schema.push_back(describe(C.Is));
  std::string Footer = CompactThrift()
                           .i32(1, 1)
                           .list(2, Schema)
                           .i64(3, AllRows)
                           .list(4, Groups)
                           .text(6, "patchbay")
                           .str();
  appendNumber(Footer, Footer.size(), 4);
  write(Footer + Magic);
}
