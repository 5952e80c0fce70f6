// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Terminal.h"
#include "showing/Table.h"
#include "support/Diagnostics.h"
#include "llvm/Support/Unicode.h"
#include <clocale>
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>
#ifdef PATCHBAY_HAS_CURSES
// Must be defined before the include, since macros would replace the names of functions that are
// looked up.
#define NCURSES_NOMACROS 1
#include <ncurses.h>
#endif

using namespace llvm;
using namespace patchbay;

size_t patchbay::columnsOf(StringRef Text) {
  int Width = sys::unicode::columnWidthUTF8(Text);
  return Width < 0 ? Text.size() : Width;
}

static bool isInside(StringRef Text, size_t At) {
  return At < Text.size() && (static_cast<unsigned char>(Text[At]) & 0xc0) == 0x80;
}

StringRef patchbay::cutToColumns(StringRef Text, size_t Columns) {
  if (Text.size() <= Columns)
    return Text;
  size_t End = 0, Used = 0;
  while (End < Text.size()) {
    size_t Next = End + 1;
    while (isInside(Text, Next))
      ++Next;
    Used += columnsOf(Text.slice(End, Next));
    if (Used > Columns)
      break;
    End = Next;
  }
  return Text.take_front(End);
}

#ifdef PATCHBAY_HAS_CURSES

#define FUNCTIONS(F)                                                             \
  F(newterm) F(endwin) F(delscreen) F(newwin) F(raw) F(noecho) F(nonl) F(keypad) \
  F(wtimeout) F(wgetch) F(werase) F(wmove) F(waddnstr) F(wattr_on) F(wattr_off)  \
  F(wrefresh) F(getmaxx) F(getmaxy) F(curs_set) F(has_colors) F(start_color)     \
  F(use_default_colors) F(init_pair) F(COLOR_PAIR) F(set_escdelay)

struct Terminal::Library {
#define MEMBER(Name) decltype(&::Name) Name = nullptr;
  FUNCTIONS(MEMBER)
#undef MEMBER
  SCREEN *Screen = nullptr;
  WINDOW *Window = nullptr;
  bool HasColors = false;

  Error load() {
    void *Handle = dlopen("libncursesw.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!Handle)
      return makeError(Twine("tui needs the ncurses library (Debian: libncursesw6): ") +
                       dlerror());
#define LOOK_UP(Name)                                                            \
  Name = reinterpret_cast<decltype(Name)>(dlsym(Handle, #Name));                 \
  if (!Name)                                                                     \
    return makeError("libncursesw.so.6 has no " #Name "()");
    FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return Error::success();
  }
};

static volatile sig_atomic_t Ended;
static void end(int) { Ended = 1; }

Error Terminal::check() {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return makeError(Usage, "tui needs a terminal as standard input and output: "
                            "'patchbay report' prints the same data");
  return Library().load();
}

Expected<std::unique_ptr<Terminal>> Terminal::open() {
  if (Error E = check())
    return std::move(E);
  std::unique_ptr<Terminal> T(new Terminal);
  T->Lib = std::make_unique<Library>();
  Library &L = *T->Lib;
  if (Error E = L.load())
    return std::move(E);
  setlocale(LC_CTYPE, "");
  const char *Kind = getenv("TERM");
  L.Screen = L.newterm(nullptr, stdout, stdin);
  if (!L.Screen)
    return makeError(Twine("ncurses does not know the terminal '") + (Kind ? Kind : "") +
                     "': set TERM to its type, for instance xterm");
  L.Window = L.newwin(0, 0, 0, 0);
  L.raw();
  L.noecho();
  L.nonl();
  L.keypad(L.Window, true);
  L.set_escdelay(50);
  L.curs_set(0);
  if (L.has_colors() && L.start_color() == OK) {
    L.use_default_colors();
    L.HasColors = true;
    L.init_pair(1, COLOR_RED, -1);
    L.init_pair(2, COLOR_GREEN, -1);
    L.init_pair(3, COLOR_CYAN, -1);
  }
  Ended = 0;
  struct sigaction Action = {};
  Action.sa_handler = end;
  for (int Signal : {SIGTERM, SIGHUP, SIGINT})
    sigaction(Signal, &Action, nullptr);
  return std::move(T);
}

Terminal::~Terminal() {
  if (!Lib || !Lib->Screen)
    return;
  Lib->endwin();
  Lib->delscreen(Lib->Screen);
}

unsigned Terminal::rows() const { return Lib->getmaxy(Lib->Window); }
unsigned Terminal::columns() const { return Lib->getmaxx(Lib->Window); }
void Terminal::clear() { Lib->werase(Lib->Window); }

void Terminal::put(unsigned Row, unsigned Column, StringRef Text, Style S,
                   unsigned Width) {
  if (Row >= rows() || Column >= columns())
    return;
  attr_t Attributes = A_NORMAL;
  switch (S) {
  case Style::Plain:
    break;
  case Style::Title:
    Attributes = A_BOLD;
    break;
  case Style::Bar:
  case Style::Selected:
    Attributes = A_REVERSE;
    break;
  case Style::Quiet:
    Attributes = Lib->HasColors ? attr_t(Lib->COLOR_PAIR(3)) : attr_t(A_DIM);
    break;
  case Style::Hot:
    Attributes = A_BOLD | (Lib->HasColors ? attr_t(Lib->COLOR_PAIR(1)) : 0);
    break;
  case Style::Warm:
    Attributes = Lib->HasColors ? attr_t(Lib->COLOR_PAIR(2)) : attr_t(A_NORMAL);
    break;
  }
  std::string Safe = printable(Text);
  size_t Room = columns() - Column;
  if (Width)
    Room = std::min<size_t>(Room, Width);
  std::string Cut = cutToColumns(Safe, Room).str();
  if (Width)
    Cut.append(Room - std::min(Room, columnsOf(Cut)), ' ');
  Lib->wattr_on(Lib->Window, Attributes, nullptr);
  Lib->wmove(Lib->Window, Row, Column);
  Lib->waddnstr(Lib->Window, Cut.data(), Cut.size());
  Lib->wattr_off(Lib->Window, Attributes, nullptr);
}

static int known(int Code) {
  using namespace keys;
  static constexpr std::pair<int, int> Keys[] = {
      {KEY_UP, Up},           {KEY_DOWN, Down},       {KEY_LEFT, Left},
      {KEY_RIGHT, Right},     {KEY_PPAGE, PageUp},    {KEY_NPAGE, PageDown},
      {KEY_HOME, Home},       {KEY_END, End},         {KEY_ENTER, Enter},
      {'\r', Enter},          {'\n', Enter},          {KEY_BACKSPACE, Backspace},
      {127, Backspace},       {8, Backspace},         {KEY_BTAB, BackTab},
      {KEY_RESIZE, None},    {3, Interrupt}};
  for (auto [From, To] : Keys)
    if (Code == From)
      return To;
  if (Code >= KEY_F(1) && Code <= KEY_F(10))
    return F1 + Code - KEY_F(1);
  return Code < 256 ? Code : int(None);
}

int Terminal::key(int Ms) {
  Lib->wrefresh(Lib->Window);
  Lib->wtimeout(Lib->Window, Ms);
  int Code = Lib->wgetch(Lib->Window);
  // ERR means a timeout or a terminal that is gone.
  if (Ended || (Code == ERR && !isatty(STDIN_FILENO)))
    return keys::Interrupt;
  return Code == ERR ? int(keys::None) : known(Code);
}

#else

struct Terminal::Library {};
Expected<std::unique_ptr<Terminal>> Terminal::open() { return check(); }
Error Terminal::check() {
  return makeError("this patchbay was built without ncurses, so it has no tui: "
                   "'patchbay report' prints the same data");
}
Terminal::~Terminal() = default;
unsigned Terminal::rows() const { return 0; }
unsigned Terminal::columns() const { return 0; }
void Terminal::clear() {}
void Terminal::put(unsigned, unsigned, StringRef, Style, unsigned) {}
int Terminal::key(int) { return keys::Interrupt; }

#endif
