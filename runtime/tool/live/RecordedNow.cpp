// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordedNow.h"
#include <algorithm>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace patchbay;

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

// Unused elements are zeroed.
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

// Counts the filled records of a block that is used as a ring. Records are written in
// order; those of an earlier pass are older than the first record. A record has the time
// at which its call began, so the result is approximate.
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
