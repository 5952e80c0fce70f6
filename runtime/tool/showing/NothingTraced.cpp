// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NothingTraced.h"
#include "Losses.h"
#include "analysis/Durations.h"
#include "support/Diagnostics.h"
#include "support/PlainText.h"
#include "trace/format/format.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace patchbay;

// Do all files with a tracer have this flag? False without such files.
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

// The number of functions with a tracer, called or not.
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

// Lists possible reasons, since the recording does not tell why calls are missing.
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
  // Other tracers record something when a call begins.
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
