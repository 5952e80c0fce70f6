// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordProcess.h"
#include "Program.h"
#include "RecordSummary.h"
#include "Recorder.h"
#include "RunProgram.h"
#include "Visit.h"
#include "attach/ProcessChoice.h"
#include "attach/Refusal.h"
#include "reading/DataFiles.h"
#include "support/Diagnostics.h"
#include "trace/options/options.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <climits>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

using namespace llvm;
using namespace patchbay;

//===----------------------------------------------------------------------===//
// Begin of a recording
//===----------------------------------------------------------------------===//

namespace {
struct Prepared {
  ProcessMemory Memory;
  std::string Options;
  EndedMeanwhile Meanwhile;
};
/// PATCHBAY options by mapped files. A server may have hundreds of processes with the same
/// files, so their symbols are read only once.
using KnownOptions = std::map<std::string, std::string>;
} // namespace

// Lists the mapped files. Processes with the same files in the same order have the same
// functions.
static std::string mappedFiles(const ProcessMemory &Memory) {
  std::string Files;
  for (const ProcessMemory::Mapping &M : Memory.mappings())
    if (M.Executable && StringRef(M.Path).starts_with("/"))
      Files += M.Device + " " + utostr(M.Inode) + " " + M.Path + "\n";
  return Files;
}

static Prepared prepared(ProcessMemory Memory, const std::string &Options,
                         const EndedMeanwhile &Meanwhile) {
  // A process in a container does not know its process ID outside of the container.
  std::string Own = Options + ",pid-outside=" + utostr(Memory.pid());
  return {std::move(Memory), std::move(Own), Meanwhile};
}

// Checks whether the process can be recorded, and finds its functions. Does not
// change the process.
static Expected<Prepared> prepareOne(pid_t Pid, const ProcessRecording &R,
                                     const ElfImage &Library,
                                     const EndedMeanwhile &Meanwhile,
                                     KnownOptions &Known) {
  auto Memory = openProcess(Pid);
  if (!Memory)
    return Memory.takeError();
  if (Error E = checkProcess(*Memory, Library))
    return std::move(E);
  const std::string Files = mappedFiles(*Memory);
  auto I = Known.find(Files);
  if (I == Known.end()) {
    Wanted What = R.What();
    bool IsFine = true;
    if (Error E = checkMapped(*Memory, What)) {
      if (!R.Force)
        return std::move(E);
      warn(toString(std::move(E)));
      IsFine = false;
    }
    auto Options = R.Options(What);
    if (!Options)
      return Options.takeError();
    // If reading a file failed, do not reuse the result, so that each process gets its own
    // messages.
    if (!IsFine)
      return prepared(std::move(*Memory), *Options, Meanwhile);
    I = Known.emplace(Files, std::move(*Options)).first;
  }
  return prepared(std::move(*Memory), I->second, Meanwhile);
}

static Expected<Prepared> prepare(pid_t Pid, const ProcessRecording &R,
                                  const ElfImage &Library, KnownOptions &Known) {
  EndedMeanwhile Meanwhile(Pid);
  auto P = prepareOne(Pid, R, Library, Meanwhile, Known);
  if (!P)
    return Meanwhile.judge(P.takeError());
  return P;
}

//===----------------------------------------------------------------------===//
// End of a recording
//===----------------------------------------------------------------------===//

namespace {
/// A command that the user gives to limit the recording: the recording ends with the
/// command.
class Timer {
public:
  ~Timer() {
    if (Child > 0) {
      kill(Child, SIGTERM);
      // Unblock signals, so that the user can end this process if the command ignores
      // SIGTERM.
      sigset_t Ends;
      sigemptyset(&Ends);
      for (int Signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&Ends, Signal);
      sigprocmask(SIG_UNBLOCK, &Ends, nullptr);
      waitpid(Child, nullptr, 0);
    }
  }
  /// Checks the command before this process changes any traced process.
  Error find(ArrayRef<const char *> Args);
  Error start(ArrayRef<const char *> Args, const sigset_t &Before);
  bool hasEnded() {
    if (Child <= 0 || waitpid(Child, nullptr, WNOHANG) != Child)
      return false;
    Child = 0;
    return true;
  }

private:
  std::string Path;
  pid_t Child = 0;
};
} // namespace

Error Timer::find(ArrayRef<const char *> Args) {
  if (Args.empty())
    return Error::success();
  return findProgram(Args.front()).moveInto(Path);
}

Error Timer::start(ArrayRef<const char *> Args, const sigset_t &Before) {
  if (Args.empty())
    return Error::success();
  return spawnProgram(Path, Args, Before).moveInto(Child);
}

// Joins the recordings of new children. A child begins to listen shortly after fork(). A
// child ends its recording unless a command joins the recording.
static void holdChildren(std::vector<Visit> &All) {
  std::vector<pid_t> Children;
  for (const Visit &V : All)
    for (pid_t Child : descendants(V.pid()))
      if (none_of(All, [&](const Visit &Other) { return Other.pid() == Child; }) &&
          !is_contained(Children, Child))
        Children.push_back(Child);
  for (pid_t Child : Children) {
    auto V = Visit::join(Child);
    if (V)
      All.push_back(std::move(*V));
    else
      consumeError(V.takeError());
  }
}

// Waits until the user or the time limit ends the recording, or until no process is being
// recorded.
static void wait(std::vector<Visit> &All, std::vector<Visit> &Ended,
                 Timer &Command, int Signals, const ProcessRecording &R) {
  using namespace std::chrono;
  constexpr int FollowMs = 50;
  const auto Begin = steady_clock::now();
  while (!All.empty()) {
    int Ms = R.Follow ? FollowMs : -1;
    if (R.ForNs) {
      auto Left = nanoseconds(R.ForNs) - (steady_clock::now() - Begin);
      if (Left.count() <= 0)
        return;
      auto LeftMs = std::min<int64_t>(ceil<milliseconds>(Left).count(), INT_MAX);
      Ms = R.Follow ? std::min<int64_t>(LeftMs, FollowMs) : LeftMs;
    }
    std::vector<pollfd> Fds = {{Signals, POLLIN, 0}};
    for (const Visit &V : All)
      Fds.push_back({V.descriptor(), POLLIN, 0});
    poll(Fds.data(), Fds.size(), Ms);
    for (size_t I = All.size(); I-- != 0;)
      if (Fds[I + 1].revents) {
        errs() << "patchbay: process " << All[I].pid()
               << (hasEndedSoon(All[I].pid())
                       ? " has ended\n"
                       : " is no longer recorded: it executed another program, or restricted "
                         "its system calls (seccomp) or files (Landlock)\n");
        Ended.push_back(std::move(All[I]));
        All.erase(All.begin() + I);
      }
    signalfd_siginfo Info;
    if (Fds[0].revents && read(Signals, &Info, sizeof(Info)) == sizeof(Info) &&
        (Info.ssi_signo != SIGCHLD || Command.hasEnded()))
      return;
    if (R.Follow)
      holdChildren(All);
  }
}

// Prints that children, such as workers of a server, are not recorded. Returns whether any
// running process is such a child.
static bool sayWhatIsNotFollowed(ArrayRef<Visit> All) {
  size_t Children = 0;
  for (const Visit &V : All)
    Children += count_if(descendants(V.pid()), [&](pid_t Child) {
      return none_of(All, [&](const Visit &Other) { return Other.pid() == Child; });
    });
  if (Children)
    errs() << "patchbay: child processes are not recorded (at least " << Children
           << "): --follow records children\n";
  return Children;
}

//===----------------------------------------------------------------------===//
// The whole recording
//===----------------------------------------------------------------------===//

static Expected<std::vector<Prepared>> prepareAll(const ProcessRecording &R,
                                                  const ElfImage &Library) {
  std::vector<Prepared> All;
  KnownOptions Known;
  for (pid_t Pid : R.Named) {
    auto P = prepare(Pid, R, Library, Known);
    if (!P)
      return P.takeError();
    All.push_back(std::move(*P));
  }
  Error Why = Error::success();
  for (pid_t Pid : R.Others) {
    auto P = prepare(Pid, R, Library, Known);
    if (P)
      All.push_back(std::move(*P));
    else if (!All.empty() && hasEnded(Pid))
      consumeError(P.takeError()); // the child has ended
    else if (!All.empty() || Why)
      warn(toString(P.takeError()));
    else
      Why = P.takeError();
  }
  if (All.empty())
    return std::move(Why);
  if (Why)
    warn(toString(std::move(Why)));
  return All;
}

static Expected<std::vector<Visit>> beginAll(std::vector<Prepared> &Processes,
                                             const ElfImage &Library,
                                             const std::string &Dir, StringRef Arena,
                                             const RecordingLimits &Limits) {
  std::vector<Visit> All;
  for (Prepared &P : Processes) {
    auto V = Visit::begin(P.Memory, Library, P.Options, Dir, Arena, Limits, "recording");
    if (V) {
      All.push_back(std::move(*V));
      continue;
    }
    Error Why = P.Meanwhile.judge(V.takeError());
    if (Processes.size() == 1)
      return std::move(Why);
    if (!All.empty() && hasEnded(P.Memory.pid()))
      consumeError(std::move(Why));
    else
      warn(toString(std::move(Why)));
  }
  if (All.empty())
    return makeError("none of " + Twine(Processes.size()) +
                     " processes could be recorded");
  return All;
}

// Waits for children that were just forked. A new child releases its parent's file when
// the child first runs.
static void awaitNewChildren(const std::string &Dir) {
  for (unsigned Tries = 0; Tries != 500; ++Tries) {
    auto Files = dataFiles(Dir);
    if (errorToBool(Files.takeError()) || filesInUse(*Files).empty())
      return;
    usleep(10000);
  }
}

Expected<int> patchbay::recordProcesses(const ProcessRecording &R,
                                        ArrayRef<const char *> Args) {
  auto Library = openTracer(TracerKind::Listens);
  if (!Library)
    return Library.takeError();
  Timer Command;
  if (Error E = Command.find(Args))
    return std::move(E);
  auto Processes = prepareAll(R, *Library);
  if (!Processes)
    return Processes.takeError();

  sigset_t Before;
  auto Signals = blockSignals({SIGINT, SIGTERM, SIGHUP, SIGCHLD}, &Before);
  if (!Signals)
    return Signals.takeError();

  auto Dir = OutputDir::create(R.Output);
  if (!Dir)
    return Dir.takeError();
  std::optional<Recorder> Arena;
  if (R.HasArena)
    Arena.emplace(Dir->descriptor(), R.Limits.Rotates);
  Rotation Files(Dir->path(), R.Limits, Arena ? &*Arena : nullptr);
  RecordingLimits Part = R.Limits;
  if (Part.MaxSize)
    Part.MaxSize = std::max({Part.MaxSize / Processes->size(), 2 * Part.RotateSize,
                             uint64_t(PB_LIMIT_MIN)});
  auto All = beginAll(*Processes, *Library, Dir->path(), Arena ? Arena->option() : "", Part);
  if (!All) {
    Dir->undo();
    return All.takeError();
  }
  if (Error E = Dir->writeCommand())
    warn(R.Output + ": the command line was not saved: " + toString(std::move(E)));
  Files.start();
  const size_t Number = All->size();
  const pid_t First = All->front().pid();
  if (Error E = Command.start(Args, Before))
    return std::move(E);
  std::vector<Visit> Ended;
  const bool IsSaid = R.Follow || sayWhatIsNotFollowed(*All);
  wait(*All, Ended, Command, *Signals, R);
  if (!IsSaid)
    sayWhatIsNotFollowed(*All);
  for (Visit &V : *All)
    V.finish();
  for (Visit &V : *All)
    V.awaitEnd();
  awaitNewChildren(Dir->path());
  Files.stop();
  if (Arena) {
    Arena->finish([&] { return Files.look(); });
    Arena->sayUnwritten(R.Output);
  }
  // Collect files only after all processes have ended, since a child writes to
  // its parent's directory.
  for (ArrayRef<Visit> Some : {ArrayRef<Visit>(Ended), ArrayRef<Visit>(*All)})
    for (const Visit &V : Some)
      V.collect();
  sayWhatWasRecorded(Number == 1 ? "process " + utostr(First)
                                 : utostr(Number) + " processes",
                     *Dir, R.Output, R.Threads, R.Limits, Files.finish());
  return Success;
}
