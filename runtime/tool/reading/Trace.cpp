// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trace.h"
#include "Clock.h"
#include "DataFiles.h"
#include "names/NameFilter.h"
#include "names/NameForms.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

namespace {

class Builder {
public:
  explicit Builder(Trace &Out) : Out(Out) {}
  void add(std::string File, DataFile Data);
  /// Adds counters of all processes. Must be called after all files have been read, since
  /// looking up names may print warnings.
  void addCounters();

private:
  void sumCounters(uint32_t Process);
  void addHistograms(uint32_t Process, const Clock &Clock);

  Trace &Out;
  std::map<const FunctionTable *, std::shared_ptr<std::vector<uint32_t>>> Indexes;
  bool HasUnit = false;
  /// The number of calls of a function in a module, and the first process that
  /// has the module.
  struct Count {
    uint32_t Process, Module;
    uint64_t Entry, Calls;
  };
  std::vector<Count> Counts;
  /// For each set of counters in a module: indices in Counts.
  std::map<std::tuple<std::string, const RecordedNames *, std::vector<uint64_t>>,
           std::vector<uint32_t>>
      Counted;
};

} // namespace

uint32_t Trace::addFunction(uint32_t Process, uint32_t Slot) {
  TraceProcess &P = Processes[Process];
  const DataFunction &F = P.Data.slots()[Slot];
  uint32_t Index = addFunction(P.Data.Modules.at(F.Module), F.Entry);
  P.Functions->resize(P.Data.slots().size(), UINT32_MAX);
  return (*P.Functions)[Slot] = Index;
}

uint32_t Trace::addFunction(const DataModule &M, uint64_t Entry) {
  std::string Recorded;
  if (M.BuildId.empty() && M.Names)
    for (const auto &[At, Name] : M.Names->at(Entry))
      Recorded = std::max(Recorded, Name.str());
  auto [Place, First] = Known.try_emplace({moduleKey(M), std::move(Recorded), Entry},
                                          uint32_t(Functions.size()));
  if (First)
    Functions.push_back({Names.function(M, Entry), Names.common(M, Entry),
                         M.Path, M.BuildId, Entry, M.Names});
  return Place->second;
}

bool Trace::isNamedBy(uint32_t Function, ArrayRef<std::string> Globs) {
  const TraceFunction &F = Functions[Function];
  DataModule M;
  M.BuildId = F.BuildId;
  M.Path = F.Module;
  M.Names = F.Recorded;
  return !Globs.empty() &&
         (Names.isNamedBy(M, F.Entry, Globs) ||
          llvm::any_of(Globs, [&](const std::string &Glob) {
            return patchbay::isNamedBy(F.Name, Glob);
          }));
}

uint8_t Trace::choose(uint32_t Function) {
  uint8_t Choice = Asked;
  if ((Chosen.Functions.empty() || isNamedBy(Function, Chosen.Functions)) &&
      !isNamedBy(Function, Chosen.Others))
    Choice |= Wanted;
  if (isNamedBy(Function, Chosen.Under))
    Choice |= Outer;
  Choices.resize(Functions.size());
  return Choices[Function] = Choice;
}

void Builder::addCounters() {
  for (uint32_t I = 0; I != Out.Processes.size(); ++I)
    for (const DataSample &S : Out.Processes[I].Data.Samples)
      if (uint32_t Slot = Out.Processes[I].Data.slots().find(S.Function);
          Slot != FunctionSlots::None)
        Out.Samples.push_back({Out.function(I, Slot), S.Calls});
  for (const Count &C : Counts)
    Out.Counts.push_back(
        {Out.addFunction(Out.Processes[C.Process].Data.Modules.at(C.Module), C.Entry),
         C.Calls,
         0,
         0,
         0,
         {},
         ""});
}

// Adds up the counters of a module over processes, since thousands of processes may have
// the same counters.
void Builder::sumCounters(uint32_t Process) {
  TraceProcess &P = Out.Processes[Process];
  ArrayRef<DataCounter> Rest = P.Data.Counters;
  P.HasCounters = !Rest.empty();
  while (!Rest.empty()) {
    uint32_t Module = Rest.front().Module;
    auto Some = Rest.take_while([&](const DataCounter &C) { return C.Module == Module; });
    Rest = Rest.drop_front(Some.size());
    const DataModule &M = P.Data.Modules.at(Module);
    std::vector<uint64_t> Entries;
    Entries.reserve(Some.size());
    for (const DataCounter &C : Some)
      Entries.push_back(C.Entry);
    auto [Known, First] =
        Counted.try_emplace({moduleKey(M), M.Names, std::move(Entries)});
    std::vector<uint32_t> &At = Known->second;
    for (size_t I = 0; First && I != Some.size(); ++I) {
      At.push_back(Counts.size());
      Counts.push_back({Process, Module, Some[I].Entry, 0});
    }
    for (size_t I = 0; I != Some.size(); ++I)
      Counts[At[I]].Calls = SaturatingAdd(Counts[At[I]].Calls, Some[I].Calls);
  }
  P.Data.Counters = std::vector<DataCounter>(); // to free the memory
}

// Adds histograms. The limits of buckets are powers of two, in ticks of the first process. If
// a process has ticks of another length, for example from another machine, its durations are
// added to the nearest buckets.
void Builder::addHistograms(uint32_t Process, const Clock &Clock) {
  const DataFile &Data = Out.Processes[Process].Data;
  if (Data.Histograms.empty())
    return;
  if (!std::exchange(HasUnit, true))
    Out.BucketUnit = Clock.nsPerTick();
  long Shift = std::lround(std::log2(Clock.nsPerTick() / Out.BucketUnit));
  for (const DataHistogram &H : Data.Histograms) {
    uint32_t Slot = Data.slots().find(H.Function);
    if (Slot == FunctionSlots::None)
      continue;
    TraceCount C = {Out.function(Process, Slot),
                    0,
                    H.Tid,
                    Clock.duration(H.Total),
                    Clock.duration(H.Longest),
                    std::vector<uint64_t>(H.Buckets.size()),
                    H.Thread};
    for (size_t I = 0; I != H.Buckets.size(); ++I) {
      C.Calls = SaturatingAdd(C.Calls, H.Buckets[I]);
      long Last = long(H.Buckets.size()) - 1;
      uint64_t &B = C.Buckets[std::clamp(long(I) + Shift, 0l, Last)];
      B = SaturatingAdd(B, H.Buckets[I]);
    }
    Out.Counts.push_back(std::move(C));
  }
}

// The time when the recording of all threads ended. Calls that are still open last until
// then.
static uint64_t endOf(const DataFile &Data, const Clock &Clock) {
  uint64_t End = Clock.time(Data.Session->Last.Ticks);
  for (const auto &[Id, T] : Data.Threads) {
    const OwnClock Own(T.Sleeps);
    for (const DataPiece &P : T.Pieces)
      End = std::max(End, Clock.time(Own.counter(P.End)));
  }
  return End;
}

std::string TraceProcess::title() const {
  return File + ": process " + utostr(Data.Pid) +
         (Data.Args.empty() ? "" : " (" + join(Data.Args, " ") + ")");
}

void Builder::add(std::string File, DataFile Data) {
  uint32_t Process = Out.Processes.size();
  Out.Processes.push_back({std::move(File), std::move(Data)});
  TraceProcess &P = Out.Processes.back();
  std::shared_ptr<std::vector<uint32_t>> &Index = Indexes[P.Data.Table.get()];
  if (!Index)
    Index = std::make_shared<std::vector<uint32_t>>();
  P.Functions = Index;
  sumCounters(Process);
  if (!P.Data.Session)
    return;
  const DataSession &S = *P.Data.Session;
  Clock Clock(S);
  // Ignore processes without durations, such as a shell that only starts
  // programs.
  bool Timed = !P.Data.Histograms.empty() ||
               llvm::any_of(P.Data.Threads,
                            [](const auto &T) { return T.second.Events != 0; });
  if (!Clock.calibrated() && Timed)
    warn(P.title() +
         ": its clock was not calibrated, times are in ticks");
  if (S.Flags & PBD_SESSION_VARIABLE_RATE)
    warn(P.title() +
         ": the processor's counter may have changed its rate, so times may be "
         "wrong");
  P.End = endOf(P.Data, Clock);
  for (const auto &[Id, T] : P.Data.Threads)
    Out.Threads.push_back({Process, T.Tid, T.Lost, T.Name, &T});
  addHistograms(Process, Clock);
}

static bool hasSession(const Trace &T, bool (*IsWanted)(StringRef Tracer)) {
  return llvm::any_of(T.Processes, [&](const TraceProcess &P) {
    return P.Data.Session && IsWanted(P.Data.Session->Tracer);
  });
}

bool Trace::hasEvents() const {
  // In a damaged file, a session may claim events although there are only counts.
  return hasCalls() || (Counts.empty() && hasSession(*this, [](StringRef Tracer) {
                       return Tracer != "function_profile";
                     }));
}

bool Trace::hasDurations() const {
  return hasSession(
             *this,
             [](StringRef Tracer) { return Tracer == "function_profile"; }) ||
         (hasEvents() && hasSession(*this, [](StringRef Tracer) {
            return Tracer != "function";
          }));
}

bool Trace::isSampled() const {
  return llvm::any_of(Processes, [](const TraceProcess &P) {
    return P.Data.Session && P.Data.Session->Sample > 1;
  });
}

std::string Trace::hintFor(ArrayRef<std::string> Globs, StringRef Otherwise) const {
  std::string Meant = meantBy(
      Globs, [&](size_t I) { return Functions[I].Name; }, Functions.size());
  return Meant.empty() ? Otherwise.str() : Meant;
}

std::pair<uint64_t, uint64_t> Trace::range() const {
  uint64_t Began = UINT64_MAX, Ended = 0;
  for (const TraceProcess &P : Processes)
    if (P.Data.Session) {
      Began = std::min(Began, P.Data.Session->First.MonotonicNs);
      Ended = std::max(Ended, P.End);
    }
  return {Began, std::max(Began, Ended)};
}

double Trace::costError() const {
  double Largest = 0;
  for (const TraceProcess &P : Processes) {
    const auto &S = P.Data.Session;
    if (const uint64_t Cost = S ? SaturatingAdd(S->CostInside, S->CostOutside) : 0)
      Largest = std::max(Largest, double(S->CostError) / double(Cost));
  }
  return Largest;
}

bool Trace::hasCalls() const {
  return llvm::any_of(
      Threads, [](const TraceThread &T) { return T.Data->Events != 0; });
}

std::string Trace::nameAt(const DataFile &Data, uint64_t Address) {
  auto [Module, Entry] = Data.place(Address);
  return Module ? Names.function(*Module, Entry)
                : "0x" + utohexstr(Address, /*LowerCase=*/true);
}

std::string Trace::caller(const TraceThread &T, const TraceCall &C) {
  auto [Module, Address] = Processes[T.Process].Data.place(C.Caller);
  return Module ? Names.around(*Module, Address) : "";
}

Trace patchbay::makeTrace(std::string File, DataFile Data, TracedNames Names) {
  Trace Result;
  Result.Names = std::move(Names);
  Builder B(Result);
  B.add(std::move(File), std::move(Data));
  B.addCounters();
  return Result;
}

static Expected<Trace> readFiles(const std::string &Dir, StringRef Symfs,
                                 Error (*Read)(StringRef, DataFile &)) {
  auto Files = dataFiles(Dir);
  if (!Files) {
    std::error_code EC = errorToErrorCode(Files.takeError());
    StringRef Hint = EC == std::errc::no_such_file_or_directory
                         ? ": make it with 'patchbay record'"
                     : EC == std::errc::not_a_directory
                         ? ": name a directory that 'patchbay record' wrote, or a .pbd file"
                         : "";
    return makeError("cannot read " + Twine(Dir) + ": " + EC.message() + Hint);
  }
  if (Files->empty())
    return makeError(Twine(Dir) + ": no process wrote data to it");

  Trace Result;
  StringRef Folder = sys::fs::is_directory(Dir) ? StringRef(Dir) : sys::path::parent_path(Dir);
  Result.Names.Sources = {Folder.empty() ? "." : Folder.str(), Symfs.str()};
  Result.Note = noteOf(Dir);
  Result.Untraced = untracedOf(Dir);
  Builder B(Result);
  for (const std::string &File : *Files) {
    DataFile Data;
    if (Error E = Read(File, Data)) {
      report(std::move(E));
      Result.Incomplete = true;
    }
    // A child that could not create a file at first may have succeeded later. So
    // ChildErrno alone does not mean missing events.
    const bool LacksChild = Data.ChildErrno && Data.Losses[PBD_LOST_CHILD];
    if (Data.Errno || LacksChild || !Data.Unexplained.empty())
      Result.Incomplete = true;
    B.add(File, std::move(Data));
  }
  B.addCounters();
  return Result;
}

Expected<Trace> patchbay::readTrace(const std::string &Dir, StringRef Symfs) {
  return readFiles(Dir, Symfs, readDataFile);
}

Expected<Trace> patchbay::readOutline(const std::string &Dir, StringRef Symfs) {
  return readFiles(Dir, Symfs, readDataOutline);
}
