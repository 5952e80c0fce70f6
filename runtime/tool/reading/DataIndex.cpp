// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataFile.h"
#include "llvm/Support/CRC.h"
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;

// Minimum size of a file that gets an index. A smaller file is read without a noticeable
// delay.
static constexpr uint64_t LargeBytes = 16 << 20;

static std::vector<pbd_index_piece> piecesOf(const DataFile &Data) {
  std::vector<pbd_index_piece> Pieces;
  for (const auto &[Id, Thread] : Data.Threads)
    for (const DataPiece &P : Thread.Pieces)
      if (P.IsPlain)
        Pieces.push_back({uint64_t(P.Records - Data.Bytes.data()), P.Begin,
                          P.End, P.Size, P.Events});
  for (const DataFile::OtherPiece &P : Data.Others)
    Pieces.push_back(
        {P.Offset, 0, 0, P.Records, P.IsPlain ? 0 : PBD_INDEX_LOOK});
  llvm::sort(Pieces, [](const pbd_index_piece &A, const pbd_index_piece &B) {
    return A.offset < B.offset;
  });
  return Pieces;
}

static bool write(int File, uint64_t At, const void *Bytes, size_t Size) {
  auto *From = static_cast<const char *>(Bytes);
  while (Size) {
    ssize_t Written = pwrite(File, From, Size, At);
    if (Written <= 0)
      return false;
    From += Written;
    At += Written;
    Size -= Written;
  }
  return true;
}

// Entries for the blocks of these pieces. The pieces of a block are adjacent.
static std::vector<pbd_blocks_entry> blocksOf(const DataFile &Data) {
  constexpr size_t HeadSize = sizeof(pbd_blocks_entry::head);
  std::vector<pbd_blocks_entry> Entries;
  for (const DataBlock &B : Data.Blocks) {
    const char *Head = B.Records.data() - HeadSize;
    Entries.push_back({uint64_t(Head - Data.Bytes.data()), 0, {}});
    memcpy(Entries.back().head, Head, HeadSize);
  }
  auto Before = [](const pbd_blocks_entry &A, const pbd_blocks_entry &B) {
    return A.offset < B.offset;
  };
  llvm::sort(Entries, Before);
  for (const auto &[Id, Thread] : Data.Threads)
    for (const DataPiece &P : Thread.Pieces) {
      uint64_t At = P.Records - Data.Bytes.data();
      std::prev(llvm::upper_bound(Entries, pbd_blocks_entry{At, 0, {}}, Before))
          ->events += P.Events;
    }
  return Entries;
}

template <typename T> static ArrayRef<uint8_t> bytesOf(ArrayRef<T> Entries) {
  return {reinterpret_cast<const uint8_t *>(Entries.data()),
          Entries.size() * sizeof(T)};
}

// Writes a chunk of Head and Entries at At, and moves At to the end of the chunk. The
// caller has set the chunk's kind.
template <typename HeadT, typename T>
static bool write(int File, uint64_t &At, HeadT Head, ArrayRef<T> Entries) {
  ArrayRef<uint8_t> Bytes = bytesOf(Entries);
  Head.chunk.size = sizeof(Head) + Bytes.size();
  Head.nr = Entries.size();
  if (!write(File, At, &Head, sizeof(Head)) ||
      !write(File, At + sizeof(Head), Bytes.data(), Bytes.size()))
    return false;
  At += Head.chunk.size;
  return true;
}

// Appends the chunks to the file. The last write sets the new length in the header, which
// makes all chunks valid at once.
static void append(int File, uint64_t Committed, bool HasTable,
                   ArrayRef<pbd_index_piece> Pieces,
                   ArrayRef<pbd_blocks_entry> Blocks) {
  uint64_t End = Committed;
  pbd_index Index = {};
  Index.chunk.kind = PBD_INDEX;
  if (!write(File, End, Index, Pieces))
    return;
  if (HasTable) {
    pbd_blocks Table = {};
    Table.chunk.kind = PBD_BLOCKS;
    Table.entries_crc = crc32(bytesOf(Blocks));
    Table.index_crc = crc32(bytesOf(Pieces));
    uint64_t At = End;
    if (!write(File, End, Table, Blocks) ||
        !write(File, offsetof(pbd_header, blocks), &At, sizeof(At)))
      return;
  }
  write(File, offsetof(pbd_header, committed), &End, sizeof(End));
}

// Compares headers, since the path may have changed: another user may have replaced a
// directory, so that the path now refers to another file of ours.
static bool isSameFile(int File, const DataFile &Data) {
  struct stat Status;
  pbd_header Header;
  return !fstat(File, &Status) && S_ISREG(Status.st_mode) &&
         Status.st_uid == geteuid() && Status.st_nlink == 1 &&
         pread(File, &Header, sizeof(Header), 0) == ssize_t(sizeof(Header)) &&
         !memcmp(&Header, Data.Bytes.data(), sizeof(Header));
}

// The header of an older writer has no field for the table.
static bool hasTable(const DataFile &Data) {
  pbd_header Header;
  memcpy(&Header, Data.Bytes.data(), sizeof(Header));
  return Header.header_size >= PBD_HEADER_BLOCKS;
}

void patchbay::addIndex(StringRef Path, const DataFile &Summary) {
  if (Summary.Committed < LargeBytes || !Summary.Index.empty() ||
      !Summary.Session || Summary.Session->Flags & PBD_SESSION_OVERWRITE)
    return;
  DataFile Data;
  if (errorToBool(readDataFile(Path, Data)) || Data.Blocks.empty() ||
      Data.Committed != Summary.Committed)
    return;
  Descriptor File = open(Path.str().c_str(),
                  O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (File < 0)
    return;
  if (isSameFile(File, Data))
    append(File, Data.Committed, hasTable(Data), piecesOf(Data), blocksOf(Data));
}
