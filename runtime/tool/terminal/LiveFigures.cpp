// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Figures.h"
#include "live/ControlSocket.h"
#include "showing/Losses.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

using namespace llvm;
using namespace patchbay;

static uint64_t now() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1000000000 + T.tv_nsec;
}

Expected<std::unique_ptr<LiveFigures>>
LiveFigures::begin(int Pid, ArrayRef<std::string> Options) {
  auto Listens = ControlSocket::listens(Pid);
  if (!Listens)
    return Listens.takeError();
  std::unique_ptr<LiveFigures> Live(new LiveFigures(Pid));
  if (!*Listens)
    if (Error E = Live->startRecording(Options))
      return std::move(E);
  if (Error E = Live->findFile())
    return std::move(E);
  Live->Last = now();
  return std::move(Live);
}

// Runs `record` as a child process, so that errors and the end of the recording are the same as
// for a user's `record`.
Error LiveFigures::startRecording(ArrayRef<std::string> Options) {
  SmallString<128> Path;
  if (std::error_code EC = sys::fs::createUniqueDirectory("patchbay-tui", Path))
    return makeError("cannot create a directory for a recording: " + EC.message());
  Folder = Path.str().str();
  std::vector<std::string> Words = {"patchbay", "record", "-p", std::to_string(Pid),
                                    "-t", "function_profile", "--histogram",
                                    "-o", Folder + "/data"};
  append_range(Words, Options);
  std::vector<char *> Arguments;
  for (std::string &Word : Words)
    Arguments.push_back(Word.data());
  Arguments.push_back(nullptr);
  std::string Log = Folder + "/log";
  Recorder = fork();
  if (Recorder < 0)
    return makeError("cannot start a process: " + errnoText(errno));
  if (!Recorder) {
    // End the recording if this command is killed.
    prctl(PR_SET_PDEATHSIG, SIGINT);
    int In = open("/dev/null", O_RDONLY);
    int Out = open(Log.c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(In, STDIN_FILENO);
    dup2(Out, STDOUT_FILENO);
    dup2(Out, STDERR_FILENO);
    execv("/proc/self/exe", Arguments.data());
    _exit(CannotExecute);
  }
  for (;;) {
    int Status = 0;
    if (waitpid(Recorder, &Status, WNOHANG) == Recorder) {
      Recorder = -1;
      if (auto Said = MemoryBuffer::getFile(Log))
        errs() << (*Said)->getBuffer();
      return makeError("process " + Twine(Pid) + " could not be recorded");
    }
    auto Listens = ControlSocket::listens(Pid);
    if (!Listens)
      return Listens.takeError();
    if (*Listens)
      return Error::success();
    usleep(10000);
  }
}

// Finds the process's data file. Later readings use the descriptor, since the file may be
// renamed.
Error LiveFigures::findFile() {
  Descriptor Found;
  auto Reply = ControlSocket::askForFile(Pid, Found, ControlSocket::AtOnce);
  if (!Reply)
    return Reply.takeError();
  if (Reply->result == -EUNATCH)
    return notRecorded(Pid);
  Path = Reply->file;
  if (Found >= 0)
    File = std::move(Found);
  if (File < 0)
    return processError(Pid, "it has no data file: it has recorded nothing yet, or could "
                             "not create one");
  return Error::success();
}

LiveFigures::~LiveFigures() {
  if (Recorder > 0) {
    kill(Recorder, SIGINT);
    waitpid(Recorder, nullptr, 0);
  }
  if (!Folder.empty())
    sys::fs::remove_directories(Folder);
}

static uint64_t less(uint64_t Now, uint64_t Before) {
  return Now - std::min(Now, Before);
}

// Adds counts of function_profile since the last reading. The process has only counts since the
// begin of the recording.
void LiveFigures::addCounts(Figures &To) {
  FunctionTotals Totals(*To.T);
  To.Functions = Totals.finish();
  To.Tree = TreeBuilder(*To.T).finish();
  for (uint32_t I = 0; I != To.Functions.size(); ++I) {
    FunctionDurations &F = To.Functions[I], All = F;
    FunctionDurations &Old = Before[To.key(I)];
    To.AllCalls.push_back(F.Calls);
    F.Calls = less(F.Calls, Old.Calls);
    F.Total = less(F.Total, Old.Total);
    F.Sum = less(F.Sum, Old.Sum);
    F.Timed = less(F.Timed, Old.Timed);
    Old = std::move(All);
  }
}

void LiveFigures::addEvents(Figures &To, uint64_t From) {
  To.T->Chosen.From = From;
  FunctionTotals Totals(*To.T, /*WithSpread=*/true);
  TreeBuilder Builder(*To.T);
  readCalls(*To.T, {&Totals, &Builder});
  To.Functions = Totals.finish();
  To.Tree = Builder.finish();
  for (uint32_t I = 0; I != To.Functions.size(); ++I)
    To.AllCalls.push_back(AllCalls[To.key(I)] += To.Functions[I].Calls);
}

Expected<bool> LiveFigures::read(Figures &To) {
  uint64_t From = Last;
  // The request also makes the process write the time, which calibrates its clock. If the
  // process has ended, the open file still has the last events.
  Error Asked = findFile();
  bool IsThere = !Asked;
  consumeError(std::move(Asked));
  DataFile Data;
  // Ignore errors while the process writes the file, unless the file has no data.
  if (Error E = readDataFile(File, Path, Data)) {
    if (!Data.Session && Data.Counters.empty())
      return std::move(E);
    consumeError(std::move(E));
  }
  if (To.T)
    Names = std::move(To.T->Names);
  Last = now();
  To.T = std::make_unique<Trace>(makeTrace(Path, std::move(Data), std::move(Names)));
  To.Seconds = std::max(double(Last - From) / 1e9, 1e-3);
  To.AllCalls.clear();
  if (To.T->hasCalls())
    addEvents(To, From);
  else
    addCounts(To);
  To.readNames();
  To.Note = IsThere ? "" : "the process has ended";
  for (const LossText &Loss : lossTexts(lossesOf(*To.T), ""))
    if (Loss.IsLoss && To.Note.empty())
      To.Note = Loss.Text;
  return IsThere;
}
