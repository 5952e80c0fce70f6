// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordedNow.h"
#include "support/Diagnostics.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace patchbay;
using namespace llvm;

template <typename T> static bool read(int File, uint64_t At, T &Value) {
  return pread(File, &Value, sizeof(T), off_t(At)) == sizeof(T);
}

static uint64_t countedCalls(int File, uint64_t At, uint64_t Size) {
  pbd_counters Head;
  if (Size < sizeof(Head) || !read(File, At, Head) ||
      Head.nr > (Size - sizeof(Head)) / sizeof(pbd_counter))
    return 0;
  std::vector<pbd_counter> Counters(Head.nr);
  size_t Bytes = Counters.size() * sizeof(pbd_counter);
  if (pread(File, Counters.data(), Bytes, off_t(At + sizeof(Head))) !=
      ssize_t(Bytes))
    return 0;
  uint64_t Calls = 0;
  for (const pbd_counter &C : Counters)
    Calls += C.calls;
  return Calls;
}

// Adds up the calls of all histograms. Unused elements are zero.
static uint64_t timedCalls(int File, uint64_t At, uint64_t Size) {
  uint64_t Calls = 0, End = At + Size;
  pbd_histogram Some[64];
  for (At += sizeof(pbd_histograms); At + sizeof(Some[0]) <= End;) {
    ssize_t Bytes = pread(
        File, Some, std::min<uint64_t>(sizeof(Some), End - At), off_t(At));
    if (Bytes < ssize_t(sizeof(Some[0])))
      break;
    size_t N = size_t(Bytes) / sizeof(Some[0]);
    for (size_t I = 0; I != N; ++I)
      for (uint64_t In : Some[I].bucket)
        Calls += In;
    At += N * sizeof(Some[0]);
  }
  return Calls;
}

// Counts the filled records of a block that is used as a ring. Records are written in order,
// so records of an earlier pass are older than the first record. The result is approximate,
// since the time of a record is the begin of its call.
static uint64_t filledRecords(int File, uint64_t First, uint64_t Room) {
  pbd_record Begin;
  if (!Room || !read(File, First, Begin) || !Begin.time)
    return 0;
  uint64_t Low = 0, High = Room;
  while (High - Low > 1) {
    uint64_t Middle = Low + (High - Low) / 2;
    pbd_record R;
    bool IsNew = read(File, First + Middle * sizeof(R), R) && R.time &&
                 R.time >= Begin.time;
    (IsNew ? Low : High) = Middle;
  }
  return High;
}

static uint64_t eventsOf(int File, uint64_t At, uint64_t Size) {
  pbd_block Block;
  if (Size < sizeof(Block) || !read(File, At, Block))
    return 0;
  uint64_t Room = (Size - sizeof(Block)) / sizeof(pbd_record);
  return Block.pass * Room + filledRecords(File, At + sizeof(Block), Room);
}

RecordedNow patchbay::recordedNow(int File) {
  RecordedNow Now;
  pbd_header Header;
  struct stat Status;
  if (fstat(File, &Status) || !S_ISREG(Status.st_mode) ||
      !read(File, 0, Header) ||
      memcmp(Header.magic, PBD_MAGIC, sizeof(Header.magic)) ||
      Header.byte_order != PBD_BYTE_ORDER)
    return Now;
  Now.Error = Header.error;
  Now.Bytes = Header.committed;
  uint64_t End = std::min<uint64_t>(Header.committed, Status.st_size);
  pbd_chunk Chunk;
  for (uint64_t At = Header.header_size;
       At < End && read(File, At, Chunk) && Chunk.size >= sizeof(Chunk) &&
       Chunk.size <= End - At;
       At += Chunk.size) {
    pbd_losses Losses;
    switch (Chunk.kind) {
    case PBD_COUNTERS:
      Now.Calls += countedCalls(File, At, Chunk.size);
      break;
    case PBD_HISTOGRAMS:
      Now.Calls += timedCalls(File, At, Chunk.size);
      break;
    case PBD_BLOCK:
      Now.Events += eventsOf(File, At, Chunk.size);
      break;
    case PBD_LOSSES:
      if (Chunk.size < sizeof(Losses) || !read(File, At, Losses))
        break;
      for (int Why = 0; Why != PBD_LOSS_MAX; ++Why)
        (Why < PBD_MISSED_IN_HANDLER ? Now.Lost : Now.Missed) +=
            Losses.process.count[Why];
      break;
    }
  }
  return Now;
}

static Error failed(int Errno) { return makeError(errnoText(Errno)); }

static Error noRecording() {
  return makeError("the file that the process records to has another format");
}

// Copies the header, and returns the end of the complete data according to the header. Data
// that is added later is not copied.
static Expected<off_t> copyHeader(int From, int To) {
  struct stat Status;
  if (fstat(From, &Status))
    return failed(errno);
  // Only a regular file can be read without blocking.
  if (!S_ISREG(Status.st_mode))
    return noRecording();
  pbd_header Header;
  ssize_t Size = pread(From, &Header, sizeof(Header), 0);
  if (Size < 0)
    return failed(errno);
  if (Size != sizeof(Header) ||
      memcmp(Header.magic, PBD_MAGIC, sizeof(Header.magic)) ||
      Header.byte_order != PBD_BYTE_ORDER ||
      Header.committed < PBD_HEADER_MIN)
    return noRecording();
  if (write(To, &Header, sizeof(Header)) != sizeof(Header))
    return failed(errno);
  // Read the size again, since the file may have grown. If the file is shorter than its header
  // says, the copy is shorter, too, and readers report that.
  if (fstat(From, &Status))
    return failed(errno);
  return std::min<uint64_t>(Header.committed, Status.st_size);
}

// Has the file holes? The recorder allocates all space before it writes, so only a file system
// that compresses data has holes. SEEK_HOLE is used only for such files, since on some file
// systems it misses pages that were written through mappings.
static bool hasHoles(int From, off_t End) {
  struct stat Status;
  return !fstat(From, &Status) && off_t(Status.st_blocks) * 512 < End;
}

// Copies a range without holes. Returns 0 or an errno.
static int copyPart(int From, int To, off_t At, off_t End) {
  if (lseek(To, At, SEEK_SET) < 0)
    return errno;
  while (At < End) {
    ssize_t Size = sendfile(To, From, &At, size_t(End - At));
    if (Size == 0) // the file was truncated
      return 0;
    if (Size < 0 && errno != EINTR)
      return errno;
  }
  return 0;
}

// Copies a range and keeps holes. Returns 0 or an errno.
static int copyParts(int From, int To, off_t At, off_t End) {
  while (At < End) {
    off_t Data = lseek(From, At, SEEK_DATA);
    if (Data < 0)
      return errno == ENXIO ? 0 : errno; // the rest is a hole
    off_t Hole = lseek(From, Data, SEEK_HOLE);
    if (Hole < 0)
      return errno == ENXIO ? 0 : errno; // the file was truncated
    At = std::min(Hole, End);
    if (int Errno = copyPart(From, To, Data, At))
      return Errno;
  }
  return 0;
}

static Error copyAll(int From, int To) {
  auto End = copyHeader(From, To);
  if (!End)
    return End.takeError();
  off_t At = sizeof(pbd_header);
  if (ftruncate(To, *End))
    return failed(errno);
  int Errno = hasHoles(From, *End) ? copyParts(From, To, At, *End)
                                   : copyPart(From, To, At, *End);
  return Errno ? failed(Errno) : Error::success();
}

Error patchbay::copyData(int From, StringRef To) {
  std::string Path = To.str();
  int File = open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (File < 0)
    return makeError("cannot create " + Path + ": " + errnoText(errno));
  Error E = copyAll(From, File);
  // close() may report a full disk.
  if (close(File) && !E)
    E = failed(errno);
  if (E)
    unlink(Path.c_str());
  return E;
}
