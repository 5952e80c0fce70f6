// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Losses.h"
#include "Table.h"
#include "analysis/Durations.h"
#include "names/NameForms.h"
#include "reading/DataFiles.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>

using namespace llvm;
using namespace patchbay;

// Limits for the list of functions in a message: number of names, and characters.
static constexpr size_t MostNames = 5, RoomForNames = 56;

// Among fewer calls, the first call of each function may be the majority.
static constexpr uint64_t MinSampled = 1000;

static std::string shortName(StringRef Name) {
  constexpr size_t Most = 32;
  return shortened(Name.size() > Most ? plainName(Name) : Name.str(), Most);
}

bool patchbay::isOfCompiler(StringRef Name) {
  return Name == "__clang_call_terminate";
}

void Losses::add(const DataFile &Data, TracedNames &Names) {
  bool IsPart = Data.Session && Data.Session->Part;
  Processes += !IsPart || Rotated.insert({Data.Pid, Data.Args}).second;
  auto Of = [&](pbd_loss Why) {
    return Data.Losses.empty() ? 0 : Data.Losses[Why];
  };
  Sandbox = SaturatingAdd(Sandbox, Of(PBD_LOST_SANDBOX));
  Size = SaturatingAdd(Size, Of(PBD_LOST_SIZE));
  Memory = SaturatingAdd(Memory, Of(PBD_LOST_MEMORY));
  Children = SaturatingAdd(Children, Of(PBD_LOST_CHILD));
  if (!ChildErrno) {
    ChildErrno = Data.ChildErrno;
    ChildUser = Data.ChildUser;
  }
  for (pbd_loss Why : {PBD_MISSED_IN_HANDLER, PBD_MISSED_IN_RECORDER})
    Missed = SaturatingAdd(Missed, Of(Why));
  NoReturn = SaturatingAdd(NoReturn, Data.NoReturn);
  Unended += Data.Returns == PBD_RETURNS_PENDING;
  Uncounted += Data.Returns == PBD_RETURNS_UNKNOWN;
  Cost.add(Data, Names);
  if (Data.Session) {
    if (Data.Session->Sample > 1) {
      SampledFrom = SaturatingAdd(SampledFrom, Data.sampledFrom());
      Sample.insert(Data.Session->Sample);
      if (Data.Session->Tracer != "function")
        (Data.Session->Flags & PBD_SESSION_TREES ? InTrees : IsSelfTooLarge) = true;
      SampledCalls = SaturatingAdd(SampledCalls, Data.tracedCalls());
    }
    if (Data.Session->Flags & PBD_SESSION_THRESHOLD_CHANGED)
      NewThresholds.insert(Data.Session->ThresholdNs);
    else if (Data.Session->ThresholdNs)
      Thresholds.insert(Data.Session->ThresholdNs);
    Under |= (Data.Session->Flags & PBD_SESSION_UNDER) != 0;
    Strict += (Data.Session->Flags & PBD_SESSION_ENDED_STRICT) != 0;
    Stays += (Data.Session->Flags & PBD_SESSION_STAYS) != 0;
    uint64_t All = Data.Session->Lost;
    for (pbd_loss Why : {PBD_LOST_SANDBOX, PBD_LOST_SIZE, PBD_LOST_MEMORY})
      All -= std::min(All, Of(Why));
    if (uint32_t Errno = Data.fileErrno()) {
      uint64_t Some = std::min(All, Of(PBD_LOST_SPACE));
      NoFile[Errno] = SaturatingAdd(NoFile[Errno], Some);
      All -= Some;
    }
    bool Imported = Data.Session->Counter == PBD_COUNTER_TRACE_CLOCK;
    uint64_t &LostHere = Imported ? KernelLost : Lost;
    uint64_t &Older = Imported ? KernelOverwritten : Overwritten;
    LostHere = SaturatingAdd(LostHere, All);
    Older = SaturatingAdd(Older, Data.Session->Overwritten);
  }
  for (const DataOther &M : Data.OtherModules)
    Others.try_emplace(M.Path, M.Why, M.Number);
  for (const auto &[Place, A] : Data.Arguments) {
    auto M = Data.Modules.find(Place.first);
    if (!A.LeftOut || M == Data.Modules.end())
      continue;
    auto &Of = Filtered[{moduleKey(M->second), Place.second}];
    Of.first = Names.function(M->second, Place.second);
    Of.second = SaturatingAdd(Of.second, A.LeftOut);
  }
  for (const DataLeftOut &F : Data.LeftOut) {
    if (F.Flags & PBD_LEFT_OUT_AGAIN) // Costly already has this function
      continue;
    auto [Module, Entry] = Data.place(F.Address);
    constexpr uint64_t WithoutExit = PATCHBAY_RECORD_VARIADIC | PATCHBAY_RECORD_NORETURN |
                                     PATCHBAY_RECORD_UNKNOWN_ARGS;
    bool IsTailCaller = F.Flags & PATCHBAY_RECORD_MUSTTAIL && !(F.Flags & WithoutExit);
    auto &Of = F.Flags & PBD_LEFT_OUT_HOT      ? Hot
               : F.Flags & PBD_LEFT_OUT_COSTLY ? Costly
               : F.Flags & PBD_LEFT_OUT_CHANGED ? Changed
               : IsTailCaller                   ? TailCallers
                                               : LeftOut;
    if (Of.count({Module ? moduleKey(*Module) : "", Entry}))
      continue;
    std::string Name = Module ? Names.function(*Module, Entry)
                              : "0x" + utohexstr(Entry, /*LowerCase=*/true);
    if (&Of != &LeftOut || !isOfCompiler(Name))
      Of[{Module ? moduleKey(*Module) : "", Entry}] = std::move(Name);
  }
}

std::set<uint32_t> patchbay::disarmedFunctions(Trace &T) {
  std::set<uint32_t> Found;
  for (const TraceProcess &P : T.Processes)
    for (const DataLeftOut &F : P.Data.LeftOut) {
      if (!(F.Flags & (PBD_LEFT_OUT_HOT | PBD_LEFT_OUT_COSTLY | PBD_LEFT_OUT_CHANGED)))
        continue;
      auto [Module, Entry] = P.Data.place(F.Address);
      if (Module)
        Found.insert(T.addFunction(*Module, Entry));
    }
  return Found;
}

void Losses::addUnexplained(const DataFile &Data, StringRef Title) {
  if (Data.Unexplained.empty())
    return;
  if (Failure &F = Unexplained[Data.Unexplained]; !F.Processes++)
    F.First = Title.str();
}

static void sortByCalls(CallsOf &Of) {
  llvm::sort(Of.Functions, [](const auto &A, const auto &B) {
    return A.second != B.second ? A.second > B.second : A.first < B.first;
  });
}

static CallsOf ofFunctions(const Trace &T,
                           const std::map<uint32_t, uint64_t> &Calls) {
  CallsOf Result;
  for (auto [Function, N] : Calls) {
    Result.Calls += N;
    Result.Functions.push_back({T.Functions[Function].Name, N});
  }
  sortByCalls(Result);
  return Result;
}

Losses patchbay::lossesOf(Trace &T) {
  Losses L;
  L.Note = T.Note;
  L.Untraced = T.Untraced;
  for (const TraceProcess &P : T.Processes) {
    L.add(P.Data, T.Names);
    L.addUnexplained(P.Data, P.title());
    if (P.Data.Errno && !P.Data.fileErrno())
      if (Losses::Failure &F = L.Failures[P.Data.Errno]; !F.Processes++)
        F.First = P.title();
  }
  // otherText() reports modules of other versions.
  if (any_of(L.Others,
             [](const auto &M) { return M.second.first == PBD_OTHER_VERSION; }))
    L.Failures.erase(EPROTONOSUPPORT);
  L.Jumped = ofFunctions(T, T.Ended.Jumped);
  L.CutOff = ofFunctions(T, T.Ended.CutOff);
  L.Open = ofFunctions(T, T.Ended.Open);
  L.Overlapping = T.Ended.Overlapping;
  for (const TraceProcess &P : T.Processes)
    L.Moved += P.Data.Moved.size();
  return L;
}

// Returns "a, b and 2 more", in alphabetical order.
static std::string
namesText(const std::map<std::pair<std::string, uint64_t>, std::string> &Of) {
  std::vector<std::string> Names;
  for (const auto &[Place, Name] : Of)
    Names.push_back(Name);
  llvm::sort(Names);
  llvm::transform(Names, Names.begin(), shortName);
  return listed(Names, MostNames, RoomForNames);
}

// Returns "3 calls of f", or "5 calls of 2 functions (f 3, g 2)".
static std::string callsText(const CallsOf &Of) {
  std::string Text = counted(Of.Calls, "call") + " of ";
  if (Of.Functions.size() == 1)
    return Text + shortName(Of.Functions.front().first);
  std::vector<std::string> Parts;
  for (const auto &[Name, Calls] : Of.Functions)
    Parts.push_back(shortName(Name) + " " + utostr(Calls));
  return Text + utostr(Of.Functions.size()) + " functions (" +
         listed(Parts, MostNames, RoomForNames) + ")";
}

// Why a child could not create its file. The usual reason is a daemon that changed its
// user.
static std::string childText(const Losses &L) {
  if (!L.ChildErrno)
    return ", or were started by vfork() in a thread that had recorded nothing";
  // The runtime uses this errno for --max-size: runtime/trace/file/data_file.h.
  if (L.ChildErrno == EXFULL)
    return ": all files together had reached --max-size";
  std::string Text =
      " as user " + utostr(L.ChildUser) + ": " + errnoText(L.ChildErrno);
  if (L.ChildErrno == EACCES)
    Text += "; let that user write to the directory (-o), or record it as that "
            "user";
  return Text;
}

// Tells why a module could not be traced.
static std::string otherText(uint32_t Why, uint32_t Number) {
  if (Why == PBD_OTHER_VERSION)
    return "none of its functions was traced: it was compiled for version " +
           utostr(Number) + " of Patchbay's ABI, not for version " +
           utostr(PATCHBAY_ABI_VERSION);
  if (Why == PBD_OTHER_NAMESPACE)
    return counted(Number, "function") + (Number == 1 ? " was" : " were") +
           " not traced: they are in a namespace of the loader (dlmopen(3)) that "
           "the tracer is not in";
  return "none of its functions was traced";
}

static std::string timesText(const std::set<uint64_t> &Ns) {
  std::vector<std::string> Times;
  for (uint64_t Time : Ns)
    Times.push_back(durationText(Time));
  return join(Times, " or ");
}

// The sentences about calls that did not return.
static std::vector<LossText> endedTexts(const Losses &L) {
  std::vector<LossText> Texts;
  auto Add = [&](const CallsOf &Of, const Twine &Text) {
    if (Of.Calls)
      Texts.push_back({false, "", (callsText(Of) + Text).str()});
  };
  auto Were = [](const CallsOf &Of) {
    return Of.Calls == 1 ? " was" : " were";
  };
  Add(L.Jumped, Were(L.Jumped) + Twine(" left by longjmp()"));
  Add(L.CutOff, Were(L.CutOff) +
                    Twine(" cut off: no return was recorded, for example because "
                          "longjmp() left the call or its function was disarmed"));
  Add(L.Open, Twine(" had not returned when recording ended") +
                  (L.Lost ? ", or their return was lost" : ""));
  if (L.Moved)
    Texts.push_back({false, "",
                     counted(L.Moved, "call") +
                         " ended in another thread, as calls of fibers do: "
                         "their earlier callees count as self time"});
  if (L.Overlapping)
    Texts.push_back({false, "",
                     "calls overlap in " + counted(L.Overlapping, "thread") +
                         ", as calls of fibers do: the time of a call excludes calls "
                         "on stacks that it resumed"});
  return Texts;
}

static std::string untracedText(const std::map<std::string, uint64_t> &Started) {
  constexpr size_t Most = 3;
  const bool IsOne = Started.size() == 1;
  std::string Text =
      counted(Started.size(), "started program") + (IsOne ? " was" : " were") + " not traced: ";
  size_t I = 0;
  for (const auto &[Path, N] : Started)
    if (I++ < Most)
      Text += (I == 1 ? "" : ", ") + Path + (N == 1 ? "" : " (" + utostr(N) + " times)");
  if (Started.size() > Most)
    Text += " and " + utostr(Started.size() - Most) + " more";
  return Text + (IsOne ? ": it is" : ": they are") +
         " static, for another C library, or started without LD_PRELOAD";
}

std::vector<LossText> patchbay::lossTexts(const Losses &L, StringRef Dir) {
  std::vector<LossText> Texts;
  auto Add = [&](bool IsLoss, const Twine &Text) {
    Texts.push_back({IsLoss, "", Text.str()});
  };
  auto AddFailure = [&](const Losses::Failure &F, const std::string &What) {
    if (F.Processes == 1)
      Texts.push_back({true, F.First, What});
    else
      Add(true, utostr(F.Processes) + " of " + utostr(L.Processes) +
                    " processes, the first " + F.First + ": " + What);
  };
  auto Were = [](uint64_t N) { return N == 1 ? " was" : " were"; };
  for (const auto &[Errno, F] : L.Failures)
    AddFailure(F, incompleteText(Errno));
  for (const auto &[Path, Why] : L.Others)
    Add(true, Path + ": " + otherText(Why.first, Why.second));
  for (const auto &[Why, F] : L.Unexplained)
    AddFailure(F, "calls are missing: the parent's file, which describes their functions, "
                  "cannot be used: " +
                      Why);
  auto AddLost = [&](uint64_t N, const Twine &Why) {
    if (N)
      Add(true, counted(N, "event") + Were(N) + " lost" + Why);
  };
  AddLost(L.Lost, ": a buffer or the disk was full: record with --buffer, --threshold or "
                  "--overwrite");
  for (auto [Errno, N] : L.NoFile)
    AddLost(N, ": the file could not grow: " + errnoText(Errno));
  AddLost(L.Sandbox, ": the process had restricted its system calls (seccomp(2), syscall user "
                     "dispatch) and filled the buffers reserved in advance");
  AddLost(L.Size, ": all files together had reached --max-size");
  AddLost(L.Memory, ": all buffers of the process together had reached --max-memory");
  if (uint64_t N = L.Strict)
    Add(true, counted(N, "process") + Were(N) +
                  " not recorded after seccomp(2)'s strict mode or PR_SET_TSC forbade the "
                  "clock: -t count counts calls without the clock");
  if (uint64_t N = L.Stays)
    Add(false, counted(N, "process") + " stopped rotating and continued in one file: it "
                                       "could not create another, for example after it "
                                       "changed its user or root directory, or limited "
                                       "its descriptors or memory");
  if (uint64_t N = L.Children)
    Add(true, counted(N, "event") + " of forked children" + Were(N) +
                  " lost: the children could not create a file" +
                  childText(L));
  if (uint64_t N = L.Missed)
    Add(true, counted(N, "call") + Were(N) +
                  " missed: made while the thread was recording another call, for "
                  "example by a signal handler");
  if (uint64_t N = L.NoReturn)
    Add(false, counted(N, "call") + (N == 1 ? " has" : " have") +
                   " no return and" + (N == 1 ? " is" : " are") +
                   " not shown: running at the end of the recording, left without return or "
                   "exception (with record -p also by longjmp()), or " +
                   (N == 1 ? "its" : "their") +
                   " function was disarmed: record -t graph shows such calls");
  if (size_t N = L.Unended)
    Add(false, counted(N, "process") + " had not ended," + (N == 1 ? " was" : " were") +
                   " ended by a signal (as by --for), or had restricted system calls: calls "
                   "without a return are unknown there");
  if (size_t N = L.Uncounted)
    Add(false, "calls without a return are not counted in " + counted(N, "process") +
                   ": the threshold of -t graph was changed from or to 0");
  if (uint64_t N = L.Overwritten)
    Add(false, counted(N, "event") + Were(N) + " overwritten by newer events (--overwrite)");
  if (!L.Sample.empty()) {
    std::vector<std::string> Ratios;
    for (uint64_t Sample : L.Sample)
      Ratios.push_back("1/" + utostr(Sample));
    Add(false, "sampled, " + join(Ratios, " and ") + " of the " +
                   (L.InTrees ? "outermost " : "") + "calls of each function and thread were "
                   "recorded" + (L.InTrees ? ", with all calls inside: " : ": ") +
                   counted(L.SampledFrom, "call") + Were(L.SampledFrom) + " made and counted" +
                   (L.IsSelfTooLarge ? "; self times include calls that were not recorded" : ""));
    // A sample of nearly all calls is useless. The likely cause is that main() was
    // sampled, since main() contains all other calls.
    if (L.InTrees && L.SampledFrom > MinSampled && L.SampledCalls > L.SampledFrom / 10 * 9)
      Add(false, "--sample skipped hardly any call, since few calls are outermost: name "
                 "the functions to sample with --under");
  }
  if (!L.Thresholds.empty())
    Add(false, "calls under " + timesText(L.Thresholds) +
                   " were dropped (--threshold): counts and totals cover slower calls "
                   "only, and self times include dropped callees");
  if (!L.NewThresholds.empty())
    Add(false, "the threshold was changed to " + timesText(L.NewThresholds) +
                   " while recording (live --threshold): earlier calls had another threshold, "
                   "and counts and totals include both");
  if (L.Under)
    Add(false, "calls outside of the functions of --under were excluded for at least "
               "part of the time: counts and totals lack these calls");
  AddLost(L.KernelLost, " by the kernel, which gives no reason: a larger buffer_size_kb may "
                        "help");
  if (uint64_t N = L.KernelOverwritten)
    Add(false, counted(N, "event") + Were(N) +
                   " overwritten by newer events in the kernel: a larger buffer_size_kb keeps "
                   "more");
  if (!L.Filtered.empty()) {
    CallsOf Calls;
    for (const auto &[Place, Of] : L.Filtered) {
      Calls.Calls = SaturatingAdd(Calls.Calls, Of.second);
      Calls.Functions.push_back(Of);
    }
    sortByCalls(Calls);
    Add(false, callsText(Calls) + (Calls.Calls == 1 ? " was" : " were") +
                   " excluded (--when)");
  }
  if (L.Cost.share() >= TracingCost::Noted) {
    std::string Advice = L.Cost.advice();
    Add(false, L.Cost.text() + (Advice.empty() ? "" : ": " + Advice));
  }
  if (!L.Note.empty())
    Add(false, L.Note);
  if (!L.Untraced.empty())
    Add(true, untracedText(L.Untraced));
  if (uint64_t N = L.LeftOut.size())
    Add(false, counted(N, "function") + " whose calls cannot be timed" +
                   Were(N) + " left out (" + namesText(L.LeftOut) +
                   "): 'patchbay info " + Dir + "' says why");
  if (uint64_t N = L.TailCallers.size())
    Add(false, counted(N, "function") + (N == 1 ? " ends" : " end") +
                   " in guaranteed tail calls, and calls of " + (N == 1 ? "it" : "them") +
                   " are missing (" + namesText(L.TailCallers) +
                   "): -t count counts them");
  auto Disarmed = [&](const auto &Of, StringRef Option) {
    if (uint64_t N = Of.size())
      Add(false, counted(N, "function") + Were(N) + " disarmed to stay within " + Option +
                     " (" + namesText(Of) + "): " + (N == 1 ? "its" : "their") +
                     " counts are incomplete; 'patchbay info' lists " +
                     (N == 1 ? "it" : "them"));
  };
  Disarmed(L.Hot, "--max-rate");
  Disarmed(L.Costly, "--max-overhead");
  if (uint64_t N = L.Changed.size())
    Add(true, counted(N, "function") + Were(N) + " disarmed by other code (" +
                  namesText(L.Changed) +
                  "), such as a uprobe (perf, bpftrace) or a debugger: some of " +
                  (N == 1 ? "its" : "their") + " calls are missing");
  append_range(Texts, endedTexts(L));
  return Texts;
}

static void sayTexts(ArrayRef<LossText> Texts, StringRef Dir) {
  for (const LossText &Loss : Texts) {
    std::string Where = Loss.Where.empty() ? Dir.str() : Loss.Where;
    std::string Line = Where + ": " + Loss.Text;
    if (Loss.IsLoss)
      warn(Line);
    else
      errs() << "patchbay: " << printable(Line) << '\n';
  }
}

void patchbay::sayLosses(const Losses &L, StringRef Dir) {
  sayTexts(lossTexts(L, Dir), Dir);
}

void patchbay::sayEnded(Trace &T, StringRef Dir) {
  sayTexts(endedTexts(lossesOf(T)), Dir);
}

// Prints losses, except functions that could not be traced from the start: `record` and
// `info` report these functions.
static Expected<Trace> sayLossesOf(Expected<Trace> T, StringRef Dir) {
  if (!T)
    return T;
  Losses Lost = lossesOf(*T);
  Lost.LeftOut.clear();
  sayLosses(Lost, Dir);
  return T;
}

// Returns the newest snapshot if Dir is a folder of snapshots, otherwise Dir.
static std::string snapshotIn(const std::string &Dir) {
  std::string Newest = newestSnapshot(Dir);
  if (Newest.empty())
    return Dir;
  errs() << "patchbay: "
         << printable(Dir + ": a folder of snapshots: reading the newest, " + Newest) << '\n';
  return Newest;
}

Expected<Trace> patchbay::openTrace(const std::string &Given, StringRef Symfs) {
  const std::string Dir = snapshotIn(Given);
  return sayLossesOf(readTrace(Dir, Symfs), Dir);
}

Expected<Trace> patchbay::openOutline(const std::string &Given, StringRef Symfs) {
  const std::string Dir = snapshotIn(Given);
  return sayLossesOf(readOutline(Dir, Symfs), Dir);
}

// Do all files with a tracer have this flag? Returns false if no file has a tracer.
static bool allHave(ArrayRef<const DataFile *> Files, uint32_t Flag) {
  bool Found = false;
  for (const DataFile *Data : Files) {
    if (!Data->Session)
      continue;
    if (!(Data->Session->Flags & Flag))
      return false;
    Found = true;
  }
  return Found;
}

bool patchbay::neverStarted(ArrayRef<const DataFile *> Files) {
  return allHave(Files, PBD_SESSION_WAITING);
}

bool patchbay::neverWithin(ArrayRef<const DataFile *> Files) {
  return allHave(Files, PBD_SESSION_NO_ROOT);
}

std::string patchbay::askedText(const DataAsked &A) {
  static constexpr std::pair<uint32_t, const char *> Options[] = {
      {PBD_FILTER, "filter"},
      {PBD_ARGS, "args"},
      {PBD_START_AT, "start-at"},
      {PBD_STOP_AT, "stop-at"},
      {PBD_UNDER, "under"}};
  for (auto [By, Option] : Options)
    if (By == A.By)
      return Option + ("='" + A.Text + "'");
  return "an option of a newer patchbay='" + A.Text + "'";
}

std::string patchbay::matchedNothing(ArrayRef<const DataFile *> Files) {
  std::map<std::string, bool> WasMatched;
  for (const DataFile *Data : Files)
    for (const DataAsked &A : Data->Asked)
      WasMatched[askedText(A)] |= A.Matched;
  std::vector<std::string> Texts;
  for (const auto &[Text, Matched] : WasMatched)
    if (!Matched)
      Texts.push_back(Text);
  return join(Texts, ", ");
}

static std::vector<const DataFile *> filesOf(const Trace &T) {
  std::vector<const DataFile *> Files;
  for (const TraceProcess &P : T.Processes)
    Files.push_back(&P.Data);
  return Files;
}

std::string patchbay::matchedNothing(const Trace &T) { return matchedNothing(filesOf(T)); }

// The number of traced functions, including functions that were not called.
static size_t countArmed(const Trace &T) {
  std::set<std::pair<std::string, uint64_t>> Armed;
  for (const TraceProcess &P : T.Processes)
    for (const auto &[Number, F] : P.Data.functions())
      Armed.insert({moduleKey(P.Data.Modules.at(F.Module)), F.Entry});
  return Armed.size();
}

static bool any(const Trace &T, function_ref<bool(const DataSession &)> Is) {
  return llvm::any_of(T.Processes, [&](const TraceProcess &P) {
    return P.Data.Session && Is(*P.Data.Session);
  });
}

// Lists possible reasons for missing calls, since a recording does not contain the reason.
static std::string whyNoCall(const Trace &T) {
  if (neverStarted(filesOf(T)))
    return "the function of --start-at was not called";
  std::vector<std::string> Reasons = {"none was made"};
  if (any(T, [](auto &S) { return S.Flags & PBD_SESSION_UNDER; }))
    Reasons = {"none was made within a call of a function of --under"};
  if (any(T, [](auto &S) { return S.Flags & PBD_SESSION_NO_ROOT; }))
    Reasons = {"no function of --under was called"};
  if (any(T, [](auto &S) { return S.Flags & PBD_SESSION_SOME_THREADS; }))
    Reasons = {"none was made by a selected thread"};
  for (const TraceProcess &P : T.Processes)
    if (P.Data.Session && P.Data.Session->ThresholdNs) {
      Reasons.push_back("none took " +
                        durationText(P.Data.Session->ThresholdNs));
      break;
    }
  // The remaining tracers record an event when a call begins.
  if (any(T, [](auto &S) {
        return S.Tracer == "function_duration" ||
               S.Tracer == "function_profile" || S.ThresholdNs;
      }))
    Reasons.push_back("none returned, for example because the program was killed in its first "
                      "calls; -t graph without --threshold shows calls that did not return");
  return join(Reasons, ", or ");
}

Error patchbay::nothingTraced(const Trace &T, StringRef Dir) {
  if (size_t Armed = countArmed(T))
    return makeError(Dir + ": no call was recorded of the " +
                     counted(Armed, "function") + " that " +
                     (Armed == 1 ? "was" : "were") + " traced: " +
                     whyNoCall(T));
  std::string Nothing = matchedNothing(T);
  return makeError(Dir + ": no function was traced" +
                   (Nothing.empty() ? "" : ": none matches " + Nothing));
}
