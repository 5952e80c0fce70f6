// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallNotes.h"
#include "Table.h"
#include "Values.h"
#include "WhySlow.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

// Limits for a note: number of callers, and size in bytes.
static constexpr size_t MostCallers = 8, MostText = 1000;
// Limits for marks: number of names, and number of events for each name.
static constexpr size_t MostNames = 64, MostEvents = 4096;
// Limits the memory for counting further names.
static constexpr size_t MostLeftOut = 1 << 16;

void CallNotes::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  if (!V || (!V->IsRecorded && !V->Slow))
    return;
  const TraceCall &C = Open.back();
  if (std::optional<Mark> M = markOf(T.Functions[C.Function].Name, V))
    return addMark(*M, C.Start);
  ++Calls;
  if (V->Slow)
    Slow.push_back(Open.size() - 1);
  uint64_t Ns = C.elapsed();
  if (Longest.size() == Most) {
    if (Ns <= Longest.front().Ns)
      return;
    std::pop_heap(Longest.begin(), Longest.end());
    Longest.pop_back();
  }
  Longest.push_back({Ns, {Thread, Open.size() - 1, C.Start}, *V});
  std::push_heap(Longest.begin(), Longest.end());
}

// Adds calls when they have ended, since TraceCall::Cost is known only then.
void CallNotes::end(ArrayRef<TraceCall> Open, size_t Depth, std::optional<uint64_t>) {
  for (; !Slow.empty() && Slow.back() >= Depth; Slow.pop_back()) {
    const TraceCall &C = Open[Slow.back()];
    if (Longest.empty() || C.elapsed() < Longest.front().Ns)
      continue;
    for (Noted &N : Longest)
      if (N.Of == Place(Thread, Slow.back(), C.Start))
        N.Cost = C.Cost;
  }
}

void CallNotes::addMark(const Mark &M, uint64_t Start) {
  // A name may be used for both marks and values.
  const std::pair<std::string, bool> Row(M.Name, M.Value.has_value());
  if (Marks.size() == MostNames && !Marks.count(Row)) {
    ++MarksLeftOut;
    if (NamesLeftOut.size() < MostLeftOut)
      NamesLeftOut.insert(Row);
    return;
  }
  NotedMarks &To = Marks[Row];
  if (To.All++ % To.Every)
    return;
  if (To.Events.size() == MostEvents) {
    size_t I = 0;
    llvm::erase_if(To.Events, [&](const NotedMarks::Event &) { return I++ % 2; });
    To.Every *= 2;
  }
  To.Events.push_back({Thread, Start, M.Value.value_or(0)});
}

void CallNotes::finish() {
  WhySlow Why(T);
  for (const Noted &N : Longest) {
    std::vector<std::string> Parts;
    if (N.Values.IsRecorded) {
      std::string Result = resultText(N.Values);
      Parts.push_back("(" + argsText(N.Values) + ")" +
                      (Result.empty() ? "" : " = " + Result));
    }
    if (auto R = Why.of(T.Threads[std::get<0>(N.Of)], &N.Values, N.Cost)) {
      Parts.push_back(R->summary());
      if (!R->Callers.empty())
        Parts.push_back("called by " + listed(R->Callers, MostCallers));
    }
    if (!Parts.empty())
      Texts[N.Of] = shortened(printable(join(Parts, "; ")), MostText);
  }
  Longest.clear();
}

StringRef CallNotes::at(size_t Thread, size_t Depth, uint64_t Start) const {
  auto Found = Texts.find({Thread, Depth, Start});
  return Found == Texts.end() ? StringRef() : StringRef(Found->second);
}
