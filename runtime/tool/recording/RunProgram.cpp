// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunProgram.h"
#include "showing/Table.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace patchbay;

static volatile sig_atomic_t Child;

static constexpr int Passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

// For keys of the terminal the kernel sends SIGINT and SIGQUIT to the program,
// too. The program decides about them, and must not get two. The kernel sends
// SIGHUP only to the leader of a session, which may be this process.
static void passOn(int Signal, siginfo_t *Info, void *) {
  bool IsKey = Info->si_code == SI_KERNEL && Signal != SIGHUP;
  if (Child && !IsKey)
    kill(Child, Signal);
}

// The program inherits SIG_IGN, but not a handler. A signal that was ignored
// stays ignored in both.
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

// Signals stay blocked. Otherwise one could be sent to another process that
// gets this id next.
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

Expected<int> patchbay::runProgram(const std::string &Path,
                                   ArrayRef<const char *> Args) {
  termios Terminal;
  bool HasTerminal = tcgetattr(STDIN_FILENO, &Terminal) == 0;

  // Pass on no signal before the program exists.
  sigset_t Signals, Before;
  sigemptyset(&Signals);
  for (int Signal : Passed)
    sigaddset(&Signals, Signal);
  sigprocmask(SIG_BLOCK, &Signals, &Before);
  catchSignals();
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setsigmask(&Attributes, &Before);
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
  Child = Pid;
  sigprocmask(SIG_SETMASK, &Before, nullptr);

  auto Status = reap(Pid, Signals);
  if (!Status)
    return Status.takeError();
  // A killed editor leaves the terminal in raw mode. In the background the
  // terminal is not ours.
  if (WIFSIGNALED(*Status) && HasTerminal &&
      tcgetpgrp(STDIN_FILENO) == getpgrp())
    tcsetattr(STDIN_FILENO, TCSADRAIN, &Terminal);
  return Status;
}

void patchbay::sayWhatKilled(StringRef Program, int Status) {
  if (!WIFSIGNALED(Status))
    return;
  int Signal = WTERMSIG(Status);
  if (Signal == SIGINT || Signal == SIGPIPE)
    return;
  const char *Name = sigabbrev_np(Signal); // null for real-time signals
  errs() << "patchbay: " << printable(Program) << ": killed by "
         << (Name ? "SIG" + std::string(Name) : "signal " + utostr(Signal))
         << ": " << strsignal(Signal)
         << (WCOREDUMP(Status) ? " (core dumped)\n" : "\n");
}
