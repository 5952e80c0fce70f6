// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as a table for engines that query columns. Each row says all that
// tells it from those of other programs and machines, so that many files are
// one table.
#include "Export.h"
#include "ParquetFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static const ParquetFile::Field Fields[] = {
    {"host", ParquetFile::Text},
    {"program", ParquetFile::Text},
    {"pid", ParquetFile::Int32},
    {"tid", ParquetFile::Int32},
    {"thread", ParquetFile::Text},
    {"time", ParquetFile::Time},
    {"start_ns", ParquetFile::Int64},
    {"duration_ns", ParquetFile::Int64, /*Optional=*/true},
    {"kind", ParquetFile::Text},
    {"depth", ParquetFile::Int32},
    {"function", ParquetFile::Text},
    {"module", ParquetFile::Text},
    {"build_id", ParquetFile::Text},
    {"elapsed_ns", ParquetFile::Int64, /*Optional=*/true},
};

void patchbay::exportParquet(const Trace &T, raw_ostream &OS) {
  ParquetFile File(Fields, OS);
  std::vector<std::string> BuildIds;
  for (const TraceFunction &F : T.Functions)
    BuildIds.push_back(toHex(F.BuildId, /*LowerCase=*/true));
  int64_t Offset = realtimeOffset(T);
  auto AddTime = [&](bool IsKnown, uint64_t Ns) {
    if (IsKnown)
      File.add(int64_t(Ns));
    else
      File.addNull();
  };
  for (const TraceThread &Thread : T.Threads) {
    const DataFile &Process = T.Processes[Thread.Process].Data;
    StringRef Program;
    if (!Process.Args.empty())
      Program = Process.Args.front();
    for (const TraceCall &C : Thread.Calls) {
      const TraceFunction &F = T.Functions[C.Function];
      File.add(StringRef(Process.Session->Host));
      File.add(Program);
      File.add(Process.Pid);
      File.add(Thread.Tid);
      File.add(StringRef(Thread.Name));
      File.add(int64_t(C.Start + Offset));
      File.add(int64_t(C.Start));
      AddTime(C.hasDuration(), C.Duration);
      File.add(kindName(C.Kind));
      File.add(C.Depth);
      File.add(StringRef(F.Name));
      File.add(StringRef(F.Module));
      File.add(StringRef(BuildIds[C.Function]));
      AddTime(C.hasDuration(), C.elapsed());
    }
  }
  File.finish();
}
