// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Terminal.h"
#include "llvm/Support/Program.h"
#include <csignal>
#include <cstdlib>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

namespace {
struct Terminal {
  ColorMode Mode = ColorMode::Auto;
  bool IsTerminal = isatty(STDOUT_FILENO);
  bool ErrorsAre = isatty(STDERR_FILENO);
  bool FullNames = false;
  unsigned Width = 100; // used without a terminal and COLUMNS
  pid_t Pager = 0;

  Terminal() {
    winsize Size;
    unsigned Columns;
    if (IsTerminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) && Size.ws_col)
      Width = Size.ws_col;
    else if (const char *Said = getenv("COLUMNS");
             Said && !StringRef(Said).getAsInteger(10, Columns) && Columns)
      Width = Columns;
  }
};
} // namespace

// The state of the terminal, read before a pager is started.
static Terminal &terminal() {
  static Terminal T;
  return T;
}

bool patchbay::outputIsTerminal() { return terminal().IsTerminal; }
unsigned patchbay::lineWidth() { return terminal().FullNames ? 0 : terminal().Width; }

static bool isSet(const char *Name) {
  const char *Value = getenv(Name);
  return Value && *Value;
}

static bool isDumb() {
  const char *Term = getenv("TERM");
  return !Term || !*Term || StringRef(Term) == "dumb";
}

static bool hasColor(bool IsTerminal) {
  ColorMode Mode = terminal().Mode;
  if (Mode != ColorMode::Auto)
    return Mode == ColorMode::Always;
  return IsTerminal && !isDumb() && !isSet("NO_COLOR");
}

bool patchbay::outputHasColor() { return hasColor(terminal().IsTerminal); }
bool patchbay::errorsHaveColor() { return hasColor(terminal().ErrorsAre); }

std::string patchbay::styled(StringRef Text, TextStyle S) {
  if (!outputHasColor())
    return Text.str();
  StringRef Code = S == TextStyle::Bold ? "1" : S == TextStyle::Red ? "31"
                   : S == TextStyle::Green ? "32" : "33";
  return ("\x1b[" + Code + "m" + Text + "\x1b[0m").str();
}

//===----------------------------------------------------------------------===//
// Pager
//===----------------------------------------------------------------------===//

// The pager as a command for sh(1); empty: no pager.
static std::string pager() {
  for (const char *Name : {"PATCHBAY_PAGER", "PAGER"})
    if (const char *Value = getenv(Name))
      return StringRef(Value) == "cat" ? "" : Value;
  return sys::findProgramByName("less") ? "less" : "";
}

static void waitForPager() {
  close(STDOUT_FILENO);
  if (terminal().ErrorsAre)
    close(STDERR_FILENO);
  while (waitpid(terminal().Pager, nullptr, 0) < 0 && errno == EINTR)
    ;
}

// Handles Ctrl-C: waits for the pager, which decides whether to end. If this command ended
// earlier, pager and shell would both read from the terminal.
static void endByPager(int Signal) {
  waitForPager();
  signal(Signal, SIG_DFL);
  raise(Signal);
}

// Runs the pager. Sets git's options for less(1): less ends if the output fits on the screen,
// shows colours, and does not clear the screen.
static void becomePager(const std::string &Command, int From) {
  dup2(From, STDIN_FILENO);
  close(From);
  setenv("LESS", "FRX", /*overwrite=*/0);
  setenv("LV", "-c", /*overwrite=*/0);
  execl("/bin/sh", "sh", "-c", Command.c_str(), static_cast<char *>(nullptr));
  _exit(127);
}

static void startPager(const std::string &Command) {
  int Ends[2];
  if (pipe(Ends))
    return;
  outs().flush();
  pid_t Child = fork();
  if (!Child) {
    close(Ends[1]);
    becomePager(Command, Ends[0]);
  }
  close(Ends[0]);
  if (Child > 0) {
    terminal().Pager = Child;
    dup2(Ends[1], STDOUT_FILENO);
    if (terminal().ErrorsAre)
      dup2(Ends[1], STDERR_FILENO);
    for (int Signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP})
      signal(Signal, endByPager);
  }
  close(Ends[1]);
}

void patchbay::setUpTerminal(ColorMode Mode, bool WithPager, bool FullNames) {
  Terminal &T = terminal();
  T.Mode = Mode;
  T.FullNames = FullNames;
  if (!WithPager || !T.IsTerminal || isDumb())
    return;
  if (std::string Command = pager(); !Command.empty())
    startPager(Command);
}

void patchbay::endPager() {
  if (!terminal().Pager)
    return;
  outs().flush();
  waitForPager();
  terminal().Pager = 0;
}
