// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HowRecorded.h"
#include "Losses.h"
#include "analysis/Durations.h"
#include "support/PlainText.h"
#include "trace/options/option_table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

static std::string tracer(const DataFile &Data) {
  if (!Data.Session)
    return "count";
  if (Data.Session->Tracer == "function_profile")
    return "count --histogram";
  return pb_tracer_name(Data.Session->Tracer.c_str());
}

static std::string threshold(const DataFile &Data) {
  uint64_t Ns = Data.Session ? Data.Session->ThresholdNs : 0;
  std::string Text = Ns ? durationText(Ns) : "none";
  if (Data.Session && Data.Session->Flags & PBD_SESSION_THRESHOLD_CHANGED)
    Text += " in the end";
  return Text;
}

static std::string sample(const DataFile &Data) {
  uint64_t Sample = Data.Session ? Data.Session->Sample : 0;
  return Sample > 1 ? "1/" + utostr(Sample) : "all calls";
}

template <uint32_t Flag> static std::string flag(const DataFile &Data) {
  return Data.Session && Data.Session->Flags & Flag ? "yes" : "no";
}

static std::string depth(const DataFile &Data) {
  uint64_t Depth = Data.Session ? Data.Session->Depth : 0;
  return Depth ? utostr(Depth) : "any";
}

// The threshold of --why. Affects durations, since examining a slow call takes time in its
// callers.
static std::string why(const DataFile &Data) {
  return Data.Why ? durationText(Data.Why->ThresholdNs) + " or more" : "none";
}

// The number of calls that --when excluded, in all processes.
static uint64_t leftOut(const Trace &T) {
  uint64_t Calls = 0;
  for (const TraceProcess &P : T.Processes)
    for (const auto &[Place, A] : P.Data.Arguments)
      Calls = SaturatingAdd(Calls, A.LeftOut);
  return Calls;
}

// The different values, usually one, of all processes that have functions to trace.
static std::string ofAll(const Trace &T, std::string (*Of)(const DataFile &)) {
  std::set<std::string> Known;
  for (const TraceProcess &P : T.Processes)
    if (P.Data.Session || P.HasCounters)
      Known.insert(Of(P.Data));
  return join(Known, " or ");
}

// Addresses of functions, by build id.
using EntriesOf = std::map<std::string, std::set<uint64_t>>;

static EntriesOf tracedEntries(const Trace &T) {
  EntriesOf Result;
  for (const TraceProcess &P : T.Processes) {
    auto Add = [&](uint32_t Module, uint64_t Entry) {
      const DataModule &M = P.Data.Modules.at(Module);
      if (!M.BuildId.empty())
        Result[M.BuildId].insert(Entry);
    };
    for (const auto &[Number, F] : P.Data.functions())
      Add(F.Module, F.Entry);
  }
  // Counters are sums over all processes.
  for (const TraceFunction &F : T.Functions)
    if (!F.BuildId.empty())
      Result[F.BuildId].insert(F.Entry);
  return Result;
}

static std::string otherFunctions(const Trace &A, const Trace &B) {
  EntriesOf OfA = tracedEntries(A), OfB = tracedEntries(B);
  size_t InA = 0, InB = 0, InBoth = 0;
  for (const auto &[BuildId, Entries] : OfA) {
    auto Other = OfB.find(BuildId);
    if (Other == OfB.end())
      continue;
    InA += Entries.size();
    InB += Other->second.size();
    for (uint64_t Entry : Entries)
      InBoth += Other->second.count(Entry);
  }
  if (InA == InBoth && InB == InBoth)
    return "";
  return "functions traced: " + utostr(InA) + " / " + utostr(InB) + ", " + utostr(InBoth) +
         " in both";
}

RecordedAs patchbay::howRecorded(const Trace &T) {
  // Take the process that began first, which is the ancestor of all others. Skip kernel
  // data, which has no date.
  auto Began = [](const TraceProcess &P) {
    return std::pair(!P.Data.StartNs, P.Data.StartNs);
  };
  auto First = llvm::min_element(
      T.Processes, [&](const TraceProcess &A, const TraceProcess &B) {
        return Began(A) < Began(B);
      });
  if (First == T.Processes.end())
    return {};
  const DataFile &Data = First->Data;
  RecordedAs How;
  How.Command = join(Data.Args, " ");
  How.Processes = utostr(Data.Pid);
  if (size_t More = T.Processes.size() - 1)
    How.Processes += " and " + counted(More, "other");
  if (Data.StartNs)
    How.Began =
        formatv("{0:%Y-%m-%d %H:%M:%S}",
                sys::TimePoint<>(std::chrono::nanoseconds(Data.StartNs)))
            .str();
  How.Host = Data.Session ? Data.Session->Host : "";
  How.Tracer = ofAll(T, tracer);
  if (std::string Threshold = ofAll(T, threshold); Threshold != "none")
    How.Tracer += ", threshold " + Threshold;
  if (T.isSampled())
    How.Tracer += ", sample " + ofAll(T, sample);
  return How;
}

std::string patchbay::recordedDifferently(const Trace &A, const Trace &B) {
  static constexpr std::pair<const char *, std::string (*)(const DataFile &)>
      Options[] = {{"tracer", tracer},
                   {"threshold", threshold},
                   {"no-sleep-time", flag<PBD_SESSION_NO_SLEEP_TIME>},
                   {"depth", depth},
                   {"sample", sample},
                   {"why", why},
                   {"only selected threads", flag<PBD_SESSION_SOME_THREADS>},
                   {"only within calls of some functions", flag<PBD_SESSION_UNDER>},
                   {"overwrite", flag<PBD_SESSION_OVERWRITE>}};
  std::vector<std::string> Differences;
  for (auto [Name, Of] : Options)
    if (std::string OfA = ofAll(A, Of), OfB = ofAll(B, Of); OfA != OfB)
      Differences.push_back(Name + (": " + OfA) + " / " + OfB);
  if (leftOut(A) || leftOut(B))
    Differences.push_back("calls that --when excluded: " + utostr(leftOut(A)) + " / " +
                          utostr(leftOut(B)));
  if (std::string Functions = otherFunctions(A, B); !Functions.empty())
    Differences.push_back(Functions);
  return join(Differences, "; ");
}
