// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordSummary.h"
#include "reading/DataFiles.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

using namespace llvm;
using namespace patchbay;

// Counts the processes in which some functions could not be traced.
static size_t countIncomplete(ArrayRef<DataFile> Files) {
  return llvm::count_if(Files, [](const DataFile &Data) {
    return lacksFunctions(Data.Errno) && !Data.fileErrno();
  });
}

// Prints a single line for all processes, since many processes may use the full disk.
static void sayIfSpaceRanOut(ArrayRef<DataFile> Files, StringRef Dir) {
  auto Full = llvm::find_if(
      Files, [](const DataFile &Data) { return isOutOfSpace(Data.Errno); });
  if (Full != Files.end())
    warn(Dir + ": " + incompleteText(Full->Errno) +
         "; to record less, use --threshold, --overwrite or --buffer");
}

// Is the thread selected? The rules are those of runtime/trace/threads/thread_choice.c.
static bool isChosenBy(const std::string &Glob, uint32_t Tid,
                       const std::string &Name) {
  return Glob == utostr(Tid) || fnmatch(Glob.c_str(), Name.c_str(), 0) == 0;
}

static bool hasThread(const DataFile &Data, const std::string &Glob) {
  return any_of(Data.Threads,
                [&](const auto &Of) {
                  return isChosenBy(Glob, Of.second.Tid, Of.second.Name);
                }) ||
         any_of(Data.Histograms, [&](const DataHistogram &H) {
           return isChosenBy(Glob, H.Tid, H.Thread);
         });
}

// Reports processes that are still being recorded, for example daemons: the process that
// `record` started has ended, but its child continues in the background.
static void sayWhatGoesOn(ArrayRef<std::string> InUse, StringRef Dir) {
  size_t N = InUse.size();
  if (!N)
    return;
  std::string Processes = N == 1 ? "1 process, or its child, is"
                                 : utostr(N) + " processes, or their children, are";
  errs() << "patchbay: "
         << printable((Dir + ": " + Processes +
                       " still recording to it in the background")
                          .str())
         << '\n';
}

static void sayWhatNoThreadMatched(ArrayRef<DataFile> Files, StringRef Dir,
                                   ArrayRef<std::string> Globs) {
  std::vector<std::string> Unmatched(Globs);
  for (const DataFile &Data : Files)
    erase_if(Unmatched,
             [&](const std::string &Glob) { return hasThread(Data, Glob); });
  if (!Unmatched.empty())
    warn(Dir + ": no thread matches '" + join(Unmatched, "', '") +
         "': only threads that make a traced call under that name count, and names have at "
         "most 15 bytes");
}

// The likely reason why the process could not create a file; empty if none was found.
static std::string whyNothing(const std::string &Dir) {
  struct statvfs Space;
  if (statvfs(Dir.c_str(), &Space))
    return ": " + errnoText(errno);
  if (!Space.f_bavail)
    return ": no space is left on its file system";
  if (Space.f_files && !Space.f_favail)
    return ": its file system can have no more files";
  return "";
}

// Prints the cost of tracing. Reads whole files, since summaries lack the number of events.
// That is quick, since large files already have an index.
static void sayWhatItCost(ArrayRef<std::string> Files, ArrayRef<DataFile> Heads,
                          StringRef Dir, TracedNames &Names) {
  TracingCost Cost;
  for (size_t I = 0; I != Files.size(); ++I) {
    DataFile Data;
    if (Heads[I].Session && Heads[I].Session->CostInside &&
        !errorToBool(readDataFile(Files[I], Data)))
      Cost.add(Data, Names);
  }
  if (Cost.share() < TracingCost::Noted)
    return;
  std::string Advice = Cost.advice();
  errs() << "patchbay: "
         << printable((Dir + ": " + Cost.text() + (Advice.empty() ? "" : ": " + Advice))
                          .str())
         << '\n';
}

void patchbay::sayWhatWasNotFound(const OutputDir &Dir, StringRef Named,
                                  ArrayRef<std::string> Globs,
                                  ArrayRef<std::string> Requests) {
  std::vector<std::string> Unmatched(Globs);
  auto Files = dataFiles(Dir.path());
  if (!Files) {
    consumeError(Files.takeError()); // sayWhatWasRecorded() reports the error
    return;
  }
  for (const std::string &File : *Files) {
    DataFile Data;
    consumeError(readDataSummary(File, Data));
    erase_if(Unmatched, [&](const std::string &Glob) {
      return any_of(Data.Asked, [&](const DataAsked &A) {
        return A.Matched && A.Text == Glob;
      });
    });
  }
  if (!Unmatched.empty())
    warn(Named + ": no function matched '" + join(Unmatched, "', '") +
         "', even in libraries that were loaded later");
  if (!Requests.empty())
    warn(Named + ": no arguments were recorded for --args '" + join(Requests, "', '") +
         "': debug information is read before PROG runs, and no library that was found "
         "then has such a function: name its directory in LD_LIBRARY_PATH");
}

// Did the process have no function to trace? An example is a shell, which is recorded
// along with the programs that it runs.
static bool hasNoFunction(const DataFile &Data) {
  return Data.Modules.empty() && Data.Threads.empty() &&
         !(Data.Session && Data.Session->Part);
}

void patchbay::sayWhatWasRecorded(StringRef Program, const OutputDir &Dir,
                                  StringRef Named,
                                  ArrayRef<std::string> Threads,
                                  const RecordingLimits &Limits, uint64_t Removed) {
  Dir.removeUnused();
  auto Files = dataFiles(Dir.path());
  if (!Files) {
    warn("cannot read " + Twine(Dir.path()) + ": " +
         toString(Files.takeError()));
    return;
  }
  size_t N = Files->size();
  if (N == 0) {
    Losses Lost;
    Lost.Untraced = untracedOf(Dir.path());
    sayLosses(Lost, Named);
    warn(Twine(Program) + " wrote no data to " + Named + whyNothing(Dir.path()));
    return;
  }
  std::string See = ", see it with: patchbay report";
  if (Named != DefaultDataDir)
    See += " -i " + shellQuoted(Named);
  std::vector<DataFile> Heads(N);
  Losses Lost;
  Lost.Untraced = untracedOf(Dir.path());
  TracedNames Names;
  bool AllRead = true;
  size_t Without = 0;
  std::vector<std::string> InUse = filesInUse(*Files);
  // Ignore errors: `patchbay report` reports the defect of a file.
  for (size_t I = 0; I != N; ++I) {
    const bool IsRead = !errorToBool(readDataSummary((*Files)[I], Heads[I]));
    AllRead &= IsRead;
    Without += IsRead && hasNoFunction(Heads[I]);
    // Do not report missing returns of a process that has not ended.
    if (is_contained(InUse, (*Files)[I]))
      Heads[I].Returns = PBD_RETURNS_NOT_COUNTED;
    Lost.add(Heads[I], Names);
    Lost.addUnexplained(Heads[I], TraceProcess{(*Files)[I], Heads[I]}.title());
  }
  size_t Processes = Lost.Processes;
  std::string Said = utostr(Processes) +
                     (Processes == 1 ? " process" : " processes") +
                     " recorded in " + Named.str();
  if (Processes != N)
    Said += ", in " + utostr(N) + " files";
  if (Without)
    Said += (Processes == 1 ? "" : ", " + utostr(Without) + " of them") +
            " without a traced function";
  Lost.Cost = {}; // sayWhatItCost() counts all events
  sayLosses(Lost, Named);
  if (Removed)
    errs() << "patchbay: " << printable(Named) << ": " << counted(Removed, "older file")
           << " removed (--keep, --max-size)\n";
  sayIfSpaceRanOut(Heads, Named);
  std::vector<const DataFile *> All;
  for (const DataFile &Data : Heads)
    All.push_back(&Data);
  if (neverStarted(All))
    warn(Named + ": no event was recorded: the function of --start-at was not "
                 "called");
  if (neverWithin(All))
    warn(Named + ": nothing was recorded: no function of --under was called; a "
                 "call that had begun before does not count");
  // If a file is damaged, some of its threads are unknown.
  if (AllRead)
    sayWhatNoThreadMatched(Heads, Named, Threads);
  // A process in the background may still start a program that needs these files.
  if (InUse.empty())
    removeOptionFiles(Dir.descriptor());
  for (size_t I = 0; I != N; ++I)
    if (!is_contained(InUse, (*Files)[I]) && ownHeader(AT_FDCWD, (*Files)[I]))
      // Do not index rotated files, since another program may be collecting them. An index
      // needs about a thousandth of the file's size; 1/256 leaves a margin.
      if (!Limits.Rotates &&
          hasRoom(Dir.path(), Limits, Heads[I].Committed / 256))
        addIndex((*Files)[I], Heads[I]);
  sayWhatItCost(*Files, Heads, Named, Names);
  sayWhatGoesOn(InUse, Named);
  size_t Incomplete = countIncomplete(Heads);
  if (!Incomplete) {
    errs() << "patchbay: " << printable(Said + See) << '\n';
    return;
  }
  if (Processes > 1)
    Said += ", in " + utostr(Incomplete) + " of them";
  else
    Said += ", but in it";
  warn(Said + " some functions were not traced" + See);
}

// Describes how often Program was preempted; empty if seldom. getrusage(2) includes the
// children that the program waited for.
static std::string preemptedText(StringRef Program) {
  constexpr double LeastSeconds = 0.5, MostPerSecond = 50;
  rusage Used;
  if (getrusage(RUSAGE_CHILDREN, &Used))
    return "";
  auto Seconds = [](const timeval &T) { return double(T.tv_sec) + double(T.tv_usec) / 1e6; };
  const double Cpu = Seconds(Used.ru_utime) + Seconds(Used.ru_stime);
  if (Cpu < LeastSeconds || double(Used.ru_nivcsw) < MostPerSecond * Cpu)
    return "";
  return formatv("{0} was preempted {1} times in {2:f1} s of CPU time, and its times include "
                 "these waits: try --no-sleep-time",
                 Program, Used.ru_nivcsw, Cpu)
      .str();
}

void patchbay::sayIfPreempted(StringRef Program, const OutputDir &Dir, StringRef Named) {
  std::string Text = preemptedText(Program);
  if (Text.empty())
    return;
  errs() << "patchbay: " << printable((Named + ": " + Text).str()) << '\n';
  consumeError(Dir.addNote(Text));
}
