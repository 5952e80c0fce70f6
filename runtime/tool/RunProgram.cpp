// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunProgram.h"
#include "Diagnostics.h"
#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace patchbay;

static volatile sig_atomic_t Child;

// Signals while the program runs. The terminal sends SIGINT and SIGQUIT to the
// program as well, whose answer is what counts; others are passed on. A
// handler, unlike SIG_IGN, is not inherited by the program, and a signal that
// was ignored stays so for both.
static void catchSignals() {
  auto Install = [](int Signal, void (*Handler)(int)) {
    struct sigaction Action = {};
    if (sigaction(Signal, nullptr, &Action) || Action.sa_handler == SIG_IGN)
      return;
    Action = {};
    Action.sa_handler = Handler;
    Action.sa_flags = SA_RESTART;
    sigaction(Signal, &Action, nullptr);
  };
  for (int Signal : {SIGINT, SIGQUIT})
    Install(Signal, [](int) {});
  for (int Signal : {SIGTERM, SIGHUP})
    Install(Signal, [](int S) { kill(Child, S); });
}

Expected<int> patchbay::runProgram(const std::string &Path,
                                   ArrayRef<const char *> Args) {
  termios Terminal;
  bool HasTerminal = tcgetattr(STDIN_FILENO, &Terminal) == 0;

  // No signal is passed on before there is somebody to pass it to.
  sigset_t Passed, Before;
  sigemptyset(&Passed);
  sigaddset(&Passed, SIGTERM);
  sigaddset(&Passed, SIGHUP);
  sigprocmask(SIG_BLOCK, &Passed, &Before);
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

  int Status;
  while (waitpid(Pid, &Status, 0) < 0)
    if (errno != EINTR)
      return errorCodeToError(errnoAsErrorCode());
  // A killed editor leaves the terminal raw. In the background it is not ours.
  if (WIFSIGNALED(Status) && HasTerminal &&
      tcgetpgrp(STDIN_FILENO) == getpgrp())
    tcsetattr(STDIN_FILENO, TCSADRAIN, &Terminal);
  return Status;
}
