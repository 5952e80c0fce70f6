// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunProgram.h"
#include "showing/Table.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>

using namespace llvm;
using namespace patchbay;

static volatile sig_atomic_t Child;
static volatile sig_atomic_t TimeIsUp;

// The message to print if the program does not end after SIGTERM.
static char GoesOn[128];
static constexpr unsigned GraceSeconds = 2;

static constexpr int Passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

// Passes a signal on to the program. Does not pass on SIGINT and SIGQUIT of keys, which
// the kernel sends to both processes. Passes on SIGHUP, which the kernel sends only to the
// leader of a session, for example this process.
static void passOn(int Signal, siginfo_t *Info, void *) {
  bool IsKey = Info->si_code == SI_KERNEL && Signal != SIGHUP;
  if (Signal == SIGALRM && TimeIsUp) {
    if (Child)
      std::ignore = write(STDERR_FILENO, GoesOn, strlen(GoesOn));
    return;
  }
  if (Signal == SIGALRM) {
    TimeIsUp = 1;
    alarm(GraceSeconds);
  }
  if (Child && (!IsKey || Signal == SIGALRM))
    kill(Child, Signal == SIGALRM ? SIGTERM : Signal);
}

// Catches signals, except ignored signals, which stay ignored in both processes. The
// program inherits SIG_IGN, but no handlers.
static void catchSignals() {
  for (int Signal : Passed) {
    struct sigaction Action = {};
    if (sigaction(Signal, nullptr, &Action) || Action.sa_handler == SIG_IGN)
      continue;
    Action = {};
    Action.sa_sigaction = passOn;
    Action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(Signal, &Action, nullptr);
  }
}

// Waits for the process. Keeps signals blocked until the process is reaped, so that
// passOn() sends no signal to a new process with the same ID.
static Expected<int> reap(pid_t Pid, const sigset_t &Signals) {
  siginfo_t Info;
  while (waitid(P_PID, Pid, &Info, WEXITED | WNOWAIT))
    if (errno != EINTR)
      return errorCodeToError(errnoAsErrorCode());
  sigset_t Before;
  sigprocmask(SIG_BLOCK, &Signals, &Before);
  int Status = 0;
  waitpid(Pid, &Status, 0);
  Child = 0;
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  return Status;
}

Expected<Descriptor> patchbay::blockSignals(ArrayRef<int> Signals, sigset_t *Before) {
  sigset_t Set;
  sigemptyset(&Set);
  for (int Signal : Signals)
    sigaddset(&Set, Signal);
  sigprocmask(SIG_BLOCK, &Set, Before);
  Descriptor File = signalfd(-1, &Set, SFD_CLOEXEC);
  if (File < 0)
    return makeError("cannot wait for signals: " + errnoText(errno));
  return std::move(File);
}

Expected<pid_t> patchbay::spawnProgram(const std::string &Path, ArrayRef<const char *> Args,
                                       const sigset_t &Mask) {
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setsigmask(&Attributes, &Mask);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);

  std::vector<char *> Argv;
  for (const char *Arg : Args)
    Argv.push_back(const_cast<char *>(Arg));
  Argv.push_back(nullptr);
  pid_t Pid;
  int Errno = posix_spawn(&Pid, Path.c_str(), nullptr, &Attributes, Argv.data(),
                          environ);
  posix_spawnattr_destroy(&Attributes);
  if (Errno)
    return makeError(CannotExecute,
                     "cannot execute " + Twine(Path) + ": " + errnoText(Errno));
  return Pid;
}

// Starts the time limit. If Ns is 0, changes nothing.
static void beginTime(uint64_t Ns) {
  if (!Ns)
    return;
  const int Pid = Child;
  snprintf(GoesOn, sizeof(GoesOn),
           "patchbay: process %d still runs after SIGTERM: end it with: kill -KILL %d\n", Pid,
           Pid);
  struct sigaction Action = {};
  Action.sa_sigaction = passOn;
  Action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGALRM, &Action, nullptr);
  // The caller may have blocked SIGALRM.
  sigset_t Alarm;
  sigemptyset(&Alarm);
  sigaddset(&Alarm, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &Alarm, nullptr);
  itimerval Time = {};
  Time.it_value.tv_sec = time_t(Ns / 1000000000);
  Time.it_value.tv_usec = suseconds_t(std::max<uint64_t>(Ns % 1000000000 / 1000, 1));
  setitimer(ITIMER_REAL, &Time, nullptr);
}

Expected<int> patchbay::runProgram(const std::string &Path, ArrayRef<const char *> Args,
                                   uint64_t ForNs) {
  termios Terminal;
  bool HasTerminal = tcgetattr(STDIN_FILENO, &Terminal) == 0;

  // Block signals until the program exists.
  sigset_t Signals, Before;
  sigemptyset(&Signals);
  for (int Signal : Passed)
    sigaddset(&Signals, Signal);
  sigprocmask(SIG_BLOCK, &Signals, &Before);
  catchSignals();
  auto Pid = spawnProgram(Path, Args, Before);
  if (!Pid)
    return Pid.takeError();
  Child = *Pid;
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  beginTime(ForNs);

  sigaddset(&Signals, SIGALRM);
  auto Status = reap(*Pid, Signals);
  if (!Status)
    return Status.takeError();
  // Restore the terminal's mode, since a killed editor may leave raw mode. A process in
  // the background must not change the terminal.
  if (WIFSIGNALED(*Status) && HasTerminal &&
      tcgetpgrp(STDIN_FILENO) == getpgrp())
    tcsetattr(STDIN_FILENO, TCSADRAIN, &Terminal);
  return Status;
}

static void sayWhatKilled(StringRef Program, int Status) {
  int Signal = WTERMSIG(Status);
  if (Signal == SIGINT || Signal == SIGPIPE)
    return;
  const char *Name = sigabbrev_np(Signal); // null for real-time signals
  errs() << "patchbay: " << printable(Program) << ": killed by "
         << (Name ? "SIG" + std::string(Name) : "signal " + utostr(Signal))
         << ": " << strsignal(Signal)
         << (WCOREDUMP(Status) ? " (core dumped)\n" : "\n");
}

int patchbay::exitCode(StringRef Program, int Status) {
  const bool IsTerminated = WIFSIGNALED(Status) ? WTERMSIG(Status) == SIGTERM
                                                : WEXITSTATUS(Status) == 128 + SIGTERM;
  if (TimeIsUp && IsTerminated)
    return Success;
  if (!WIFSIGNALED(Status))
    return WEXITSTATUS(Status);
  sayWhatKilled(Program, Status);
  return 128 + WTERMSIG(Status);
}
