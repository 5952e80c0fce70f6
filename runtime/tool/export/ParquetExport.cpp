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

namespace {
class Rows : public CallSink {
public:
  Rows(const Trace &T, raw_ostream &OS)
      : T(T), File(Fields, OS), Offset(realtimeOffset(T)) {}
  void beginThread(const TraceThread &Of) override { Thread = &Of; }
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override;
  void finish() { File.finish(); }

private:
  void addTime(bool IsKnown, uint64_t Ns) {
    if (IsKnown)
      File.add(int64_t(Ns));
    else
      File.addNull();
  }
  StringRef buildId(uint32_t Function) {
    for (size_t I = BuildIds.size(); I <= Function; ++I)
      BuildIds.push_back(toHex(T.Functions[I].BuildId, /*LowerCase=*/true));
    return BuildIds[Function];
  }

  const Trace &T;
  ParquetFile File;
  int64_t Offset;
  const TraceThread *Thread = nullptr;
  std::vector<std::string> BuildIds; // by function
};
} // namespace

void Rows::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  const TraceCall &C = Open.back();
  const TraceFunction &F = T.Functions[C.Function];
  const DataFile &Process = T.Processes[Thread->Process].Data;
  StringRef Program;
  if (!Process.Args.empty())
    Program = Process.Args.front();
  File.add(StringRef(Process.Session->Host));
  File.add(Program);
  File.add(Process.Pid);
  File.add(Thread->Tid);
  File.add(StringRef(Thread->Name));
  File.add(int64_t(C.Start + Offset));
  File.add(int64_t(C.Start));
  addTime(C.hasDuration(), C.Duration);
  File.add(kindName(C.Kind));
  File.add(C.Depth);
  File.add(StringRef(F.Name));
  File.add(StringRef(F.Module));
  File.add(buildId(C.Function));
  addTime(C.hasDuration(), C.elapsed());
}

void patchbay::exportParquet(Trace &T, raw_ostream &OS) {
  Rows R(T, OS);
  readCalls(T, {&R});
  R.finish();
}
