// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace as a table for column-oriented query engines. Each row identifies its program
// and machine, so that many files form one table. Writes one file, or files in directories
// whose names are some of the columns.
#include "Export.h"
#include "ParquetTree.h"
#include "reading/DataFiles.h"
#include "support/Diagnostics.h"
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
static constexpr int64_t NsPerDay = 24 * 60 * 60 * INT64_C(1000000000);

// The columns of files in a tree, whose remaining columns are directory names.
static std::vector<ParquetFile::Field> fieldsInTree() {
  std::vector<ParquetFile::Field> Kept;
  for (const ParquetFile::Field &F : Fields)
    if (StringRef(F.Name) != "host" && StringRef(F.Name) != "build_id")
      Kept.push_back(F);
  return Kept;
}

namespace {

class Rows : public CallSink {
public:
  /// InTree: host and build id are names of directories.
  Rows(const Trace &T, bool InTree)
      : T(T), InTree(InTree), Offset(realtimeOffset(T)) {}
  void beginThread(const TraceThread &Of) override { Thread = &Of; }
  void begin(ArrayRef<TraceCall> Open, const DataValues *) override;

protected:
  /// The file for a row; nullptr to skip the row.
  virtual ParquetFile *fileOf(int64_t Time, StringRef BuildId) = 0;
  const DataFile &process() const { return T.Processes[Thread->Process].Data; }

  const Trace &T;
  const TraceThread *Thread = nullptr;

private:
  static void addTime(ParquetFile &File, bool IsKnown, uint64_t Ns) {
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

  bool InTree;
  int64_t Offset;
  std::vector<std::string> BuildIds; // indexed by function
};

class OneFile : public Rows {
public:
  OneFile(const Trace &T, raw_ostream &OS)
      : Rows(T, /*InTree=*/false), File(Fields, OS) {}
  void finish() { File.finish(); }

private:
  ParquetFile *fileOf(int64_t, StringRef) override { return &File; }
  ParquetFile File;
};

class ManyFiles : public Rows {
public:
  ManyFiles(const Trace &T, StringRef Dir)
      : Rows(T, /*InTree=*/true), Tree(Dir, fieldsInTree()) {}
  void beginThread(const TraceThread &Of) override;
  void begin(ArrayRef<TraceCall> Open, const DataValues *Values) override {
    Rows::begin(Open, Values);
    ++Calls;
  }
  void finish() {
    if (Thread)
      Tree.endProcess();
  }

  ParquetTree Tree;
  uint64_t Calls = 0;

private:
  ParquetFile *fileOf(int64_t Time, StringRef BuildId) override {
    int64_t Day = Time / NsPerDay - (Time % NsPerDay < 0);
    return Tree.at(Day, BuildId);
  }
};

} // namespace

void Rows::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  const TraceCall &C = Open.back();
  const TraceFunction &F = T.Functions[C.Function];
  const DataFile &Process = process();
  ParquetFile *To = fileOf(C.Start + Offset, buildId(C.Function));
  if (!To)
    return;
  ParquetFile &File = *To;
  StringRef Program;
  if (!Process.Args.empty())
    Program = Process.Args.front();
  if (!InTree)
    File.add(StringRef(Process.Session->Host));
  File.add(Program);
  File.add(Process.Pid);
  File.add(Thread->Tid);
  File.add(StringRef(Thread->Name));
  File.add(int64_t(C.Start + Offset));
  File.add(int64_t(C.Start));
  addTime(File, C.hasDuration(), C.Duration);
  File.add(kindName(C.Kind));
  File.add(C.Depth);
  File.add(StringRef(F.Name));
  File.add(StringRef(F.Module));
  if (!InTree)
    File.add(buildId(C.Function));
  addTime(File, C.hasDuration(), C.elapsed());
}

// Begins a new process with its first thread, since threads of one process are consecutive.
void ManyFiles::beginThread(const TraceThread &Of) {
  bool IsNew = !Thread || Thread->Process != Of.Process;
  if (IsNew)
    finish();
  Rows::beginThread(Of);
  if (IsNew)
    Tree.beginProcess(process().Session->Host, process().StartNs, process().Pid);
}

void patchbay::exportParquet(Trace &T, raw_ostream &OS) {
  OneFile R(T, OS);
  readCalls(T, {&R});
  R.finish();
}

Error patchbay::exportParquetTree(Trace &T, const std::string &Dir) {
  // Refuse a recording after '=', which is probably a mistake.
  if (auto Data = dataFiles(Dir); Data && !Data->empty())
    return makeError(Usage, Dir + " is a recording: choose another directory");
  ManyFiles R(T, Dir);
  if (Error E = R.Tree.create())
    return E;
  readCalls(T, {&R});
  R.finish();
  if (Error E = R.Tree.error())
    return E;
  errs() << "patchbay: " << R.Calls << (R.Calls == 1 ? " call is" : " calls are")
         << " in " << R.Tree.files() << (R.Tree.files() == 1 ? " file" : " files")
         << " of " << Dir << " now\n";
  return Error::success();
}
