// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MovedCalls.h"
#include "DataRecord.h"
#include "Parallel.h"

using namespace llvm;
using namespace patchbay;

static DataFile::Entry entryOf(const DataRecord &R) {
  return {R.Time, R.Frame, R.Function};
}

static void forEachCall(const DataFile &File, const DataThread &Thread,
                        function_ref<void(const DataRecord &)> Do) {
  for (const DataPiece &P : Thread.Pieces) {
    const char *End = P.Records + P.Size * DataRecord::Size;
    for (const char *At = P.Records; At != End; At += DataRecord::Size) {
      DataRecord R = DataRecord::read(At, P.Pass);
      if (R.Kind != PBD_RECORD_NONE && R.isCall())
        Do(R);
    }
    File.release({P.Records, P.Size * DataRecord::Size});
  }
}

// Hashes entries and exits. 0 if each entry has an exit, and each exit an
// entry; otherwise 0 is negligibly improbable.
static uint64_t sumOf(const DataFile &File, const DataThread &Thread) {
  uint64_t Sum = 0;
  forEachCall(File, Thread, [&](const DataRecord &R) {
    uint64_t Hash = (R.Time * 0x9e3779b97f4a7c15) ^
                    ((uint64_t(R.Frame) << 32 | R.Function) * 0xc2b2ae3d27d4eb4f);
    Hash = (Hash ^ Hash >> 29) * 0xbf58476d1ce4e5b9;
    Sum += R.Kind == PBD_RECORD_ENTRY ? Hash : -Hash;
  });
  return Sum;
}

namespace {
// Entries without an exit, and exits without an entry, of one thread.
struct Halves {
  std::map<DataFile::Entry, uint32_t> Entries, Exits;
};
} // namespace

static Halves halvesOf(const DataFile &File, const DataThread &Thread) {
  Halves Result;
  forEachCall(File, Thread, [&](const DataRecord &R) {
    if (R.Kind == PBD_RECORD_ENTRY) {
      ++Result.Entries[entryOf(R)];
      return;
    }
    auto At = Result.Entries.find(entryOf(R));
    if (At == Result.Entries.end())
      ++Result.Exits[entryOf(R)];
    else if (!--At->second)
      Result.Entries.erase(At);
  });
  return Result;
}

static void findMovedCalls(DataFile &File, ArrayRef<const DataThread *> Threads) {
  std::vector<uint64_t> Sums(Threads.size());
  std::vector<const DataThread *> Odd;
  inOrder(
      Threads.size(), [&](size_t I) { Sums[I] = sumOf(File, *Threads[I]); },
      [&](size_t I) {
        if (Sums[I])
          Odd.push_back(Threads[I]);
      });
  if (Odd.size() < 2)
    return;
  std::vector<Halves> All(Odd.size());
  std::set<DataFile::Entry> Exits;
  inOrder(
      Odd.size(), [&](size_t I) { All[I] = halvesOf(File, *Odd[I]); },
      [&](size_t I) {
        for (const auto &[Exit, N] : All[I].Exits)
          Exits.insert(Exit);
      });
  for (const Halves &Of : All)
    for (const auto &[Entry, N] : Of.Entries)
      if (Exits.count(Entry))
        File.Moved.insert(Entry);
}

void patchbay::findMovedCalls(Trace &T) {
  std::map<uint32_t, std::vector<const DataThread *>> ByProcess;
  for (const TraceThread &Thread : T.Threads)
    if (Thread.Data->Events &&
        T.Processes[Thread.Process].Data.Session->Tracer == "function_graph")
      ByProcess[Thread.Process].push_back(Thread.Data);
  for (const auto &[Process, Threads] : ByProcess)
    if (Threads.size() > 1)
      ::findMovedCalls(T.Processes[Process].Data, Threads);
}
