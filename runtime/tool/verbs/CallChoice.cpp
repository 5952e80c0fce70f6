// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallChoice.h"
#include "showing/Losses.h"
#include "support/PlainText.h"
#include <fnmatch.h>

using namespace llvm;
using namespace patchbay;

CallChoice::CallChoice(OptionTable &Table)
    : Functions(Table.in("Choose calls"), "F,filter", "GLOB",
                "Show only functions matching GLOB (repeatable)"),
      Others(Table, "N,notrace", "GLOB", "Exclude functions matching GLOB (repeatable)"),
      Under(Table, "under", "GLOB", "Show only calls of GLOB and their callees (repeatable)"),
      Threads(Table, "thread", "GLOB", "Show only threads matching GLOB (repeatable)"),
      Tids(Table, "tid", "TID", "Show only threads TID[,TID...]; adds to --thread"),
      From(Table, "from", "TIME", "Show only calls that begin at TIME or later (1.5s)"),
      To(Table, "to", "TIME", "Show only calls that begin before TIME"),
      Shortest(Table, "min", "Show only calls of at least DURATION (10us)"),
      Longest(Table, "max", "Show only calls of at most DURATION (1ms)", UINT64_MAX),
      Raw(Table, "raw", "Show measured times, including the cost of tracing"),
      Symfs(Table) {}

// Begin and end of a recording, in the format of 'patchbay replay'. With a unit, --from and
// --to accept this format.
static std::string rangeText(const Trace &T) {
  auto [Began, Ended] = T.range();
  auto Seconds = [](uint64_t Ns) {
    std::string Text;
    appendDecimal(Text, Ns / 1000, 1000000, 6);
    return Text;
  };
  return "it was recorded from " + Seconds(Began) + " to " + Seconds(Ended) +
         ", which is 0s to " + Seconds(Ended - Began) +
         "s after recording began";
}

Error CallChoice::chooseTimes(Trace &T, const std::string &Dir) const {
  uint64_t Began = T.range().first;
  auto Parse = [&](const StringOption &Given, uint64_t &Out) -> Error {
    if (!Given.given())
      return Error::success();
    StringRef Text = Given;
    std::optional<uint64_t> Ns = parseNs(Text, 1e9);
    if (!Ns)
      return makeError(Usage, Given.name() + ": '" + Text +
                                  "' is not a time: use 1.5s, 200ms, 30us or "
                                  "40ns since the start, or a timestamp of "
                                  "'patchbay replay'");
    Out = hasUnit(Text) ? SaturatingAdd(Began, *Ns) : *Ns;
    return Error::success();
  };
  if (Error E = Parse(From, T.Chosen.From))
    return E;
  if (Error E = Parse(To, T.Chosen.To))
    return E;
  if (T.Chosen.From >= T.Chosen.To)
    return makeError(Usage, "--to: " + To + " is not later than --from " + From);
  // Warn if --from has no unit: the user may have written 1 for 1s. (0 needs no unit.)
  if (T.Chosen.From && !hasUnit(From) && T.hasEvents() && T.Chosen.From < Began)
    warn(Dir + ": --from " + From +
         " is before the recording and has no effect: " + rangeText(T));
  return Error::success();
}

Error CallChoice::checkDurations() const {
  if (Shortest > Longest)
    return makeError(Usage, "--max: " + Longest.Words.back() + " is less than --min " + Shortest.Words.back());
  return Error::success();
}

Error CallChoice::chooseThreads(Trace &T, const std::string &Dir) const {
  if (Tids.empty() && Threads.empty())
    return Error::success();
  auto IsOther = [&](uint32_t Tid, const std::string &Name) {
    return !is_contained(Tids, Tid) &&
           llvm::none_of(Threads, [&](const std::string &Glob) {
             return fnmatch(Glob.c_str(), Name.c_str(), 0) == 0;
           });
  };
  for (const TraceProcess &P : T.Processes)
    if (P.HasCounters)
      return makeError(Dir + ": calls were not counted by thread: use 'patchbay "
                             "record --histogram'");
  llvm::erase_if(T.Threads, [&](const TraceThread &Thread) {
    return IsOther(Thread.Tid, Thread.Name);
  });
  llvm::erase_if(T.Counts,
                 [&](const TraceCount &C) { return IsOther(C.Tid, C.Thread); });
  if (T.Threads.empty() && T.Counts.empty())
    return makeError(NothingFound, Dir + ": no such thread: 'patchbay info' "
                                         "lists the threads");
  return Error::success();
}

// Fails if the recording lacks the data that options select by. Counts have no times.
// Entries have start times, but no durations.
Error CallChoice::checkKnown(const Trace &T, const std::string &Dir) const {
  const CallFilter &F = T.Chosen;
  if (!T.hasEvents() && (F.byTime() || F.byDuration() || !F.Under.empty()))
    return makeError(Dir + ": has only counts: --from, --to, --min, --max and "
                           "--under need events, from 'patchbay record -t "
                           "duration'");
  if (!T.hasDurations() && (F.byDuration() || !F.Under.empty()))
    return makeError(Dir +
                     ": only the start of calls was recorded: --min, --max and "
                     "--under need durations, from 'patchbay record -t "
                     "duration'");
  return Error::success();
}

Error CallChoice::apply(Trace &T, const std::string &Dir) const {
  T.Raw |= Raw;
  if (Error E = chooseTimes(T, Dir))
    return E;
  if (Error E = checkDurations())
    return E;
  T.Chosen.Shortest = Shortest;
  T.Chosen.Longest = Longest;
  T.Chosen.Functions.assign(Functions.begin(), Functions.end());
  T.Chosen.Others.assign(Others.begin(), Others.end());
  T.Chosen.Under.assign(Under.begin(), Under.end());
  if (Error E = chooseThreads(T, Dir))
    return E;
  if (Error E = checkKnown(T, Dir))
    return E;
  llvm::erase_if(T.Counts,
                 [&](const TraceCount &C) { return !T.isWanted(C.Function); });
  // These options cannot select the counts of a sampled recording.
  if (!Tids.empty() || !Threads.empty() || T.Chosen.byTime() ||
      T.Chosen.byDuration() || !Under.empty())
    T.Samples.clear();
  return Error::success();
}

Expected<Trace> CallChoice::open(const std::string &Dir) const {
  Expected<Trace> T = openTrace(Dir, Symfs);
  if (T)
    if (Error E = apply(*T, Dir))
      return std::move(E);
  return T;
}

Expected<Trace> CallChoice::openEvents(const std::string &Dir) const {
  Expected<Trace> T = openTrace(Dir, Symfs);
  if (!T)
    return T;
  if (!T->hasEvents())
    return makeError(Twine(Dir) +
                     ": has no events, only counts: 'patchbay report' shows "
                     "them, 'patchbay record -t graph' records events");
  if (Error E = apply(*T, Dir))
    return std::move(E);
  return T;
}

std::string CallChoice::takeFunction() {
  if (Functions.size() != 1)
    return "";
  std::string Name = Functions.front();
  Functions.clear();
  return Name;
}

Error CallChoice::checkFound(const Trace &T, const std::string &Dir) {
  if (!T.Chosen.isActive() || T.Chosen.Found || !T.Counts.empty())
    return Error::success();
  std::vector<std::string> Named = T.Chosen.Functions;
  Named.insert(Named.end(), T.Chosen.Under.begin(), T.Chosen.Under.end());
  return makeError(
      NothingFound,
      Dir + ": no call matches: " +
          (T.Chosen.byTime() && Named.empty()
               ? rangeText(T)
               : T.hintFor(Named, "'patchbay report' lists the functions")));
}

Error CallChoice::finish(Trace &T, const std::string &Dir) {
  sayEnded(T, Dir);
  return checkFound(T, Dir);
}

Expected<std::vector<std::string>> CallChoice::ofRecord() const {
  for (const OptionRow *Row : std::initializer_list<const OptionRow *>{
           &Tids, &Threads, &From, &To, &Under, &Shortest, &Longest})
    if (Row->given())
      return makeError(Usage, Row->name() + " is for recordings: leave it out with -p");
  std::vector<std::string> Options;
  for (const std::string &Glob : Functions)
    Options.insert(Options.end(), {"-F", Glob});
  for (const std::string &Glob : Others)
    Options.insert(Options.end(), {"-N", Glob});
  return Options;
}
