// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataIndex.h"
#include "format.h"
#include "llvm/ADT/STLExtras.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

// Less is looked at sooner than somebody notices.
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

// Behind what is there. It is part of the file once that says that it is longer, which
// is written last, in one piece.
static void append(int File, uint64_t Committed,
                   ArrayRef<pbd_index_piece> Pieces) {
  size_t Size = Pieces.size() * sizeof(pbd_index_piece);
  pbd_index Head = {};
  Head.chunk.kind = PBD_INDEX;
  Head.chunk.size = sizeof(Head) + Size;
  Head.nr = Pieces.size();
  uint64_t Longer = Committed + Head.chunk.size;
  if (write(File, Committed, &Head, sizeof(Head)) &&
      write(File, Committed + sizeof(Head), Pieces.data(), Size))
    write(File, offsetof(pbd_header, committed), &Longer, sizeof(Longer));
}

// The path may be in a directory of somebody else's by now, and lead to another file of
// ours: what is there must be the header that was read.
static bool isSameFile(int File, const DataFile &Data) {
  struct stat Status;
  pbd_header Header;
  return !fstat(File, &Status) && S_ISREG(Status.st_mode) &&
         Status.st_uid == geteuid() && Status.st_nlink == 1 &&
         pread(File, &Header, sizeof(Header), 0) == ssize_t(sizeof(Header)) &&
         !memcmp(&Header, Data.Bytes.data(), sizeof(Header));
}

void patchbay::addIndex(StringRef Path, const DataFile &Summary) {
  if (Summary.Committed < LargeBytes || !Summary.Index.empty() ||
      !Summary.Session || Summary.Session->Flags & PBD_SESSION_OVERWRITE ||
      Summary.Order != endianness::native)
    return;
  DataFile Data;
  if (errorToBool(readDataFile(Path, Data)) || Data.Blocks.empty() ||
      Data.Committed != Summary.Committed)
    return;
  int File = open(Path.str().c_str(),
                  O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (File < 0)
    return;
  if (isSameFile(File, Data))
    append(File, Data.Committed, piecesOf(Data));
  close(File);
}
