// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay attach`: has programs attached to functions of a running process,
// as long as it runs itself.
#include "Verb.h"
#include "attach/Refusal.h"
#include "live/ControlSocket.h"
#include "live/LiveProcess.h"
#include "live/LiveSelection.h"
#include "recording/TracerLibrary.h"
#include "recording/Visit.h"
#include "showing/Table.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static cl::SubCommand
    AttachCommand("attach",
                  "Attach programs to functions of a running process");
static cl::opt<int> Pid("p", cl::value_desc("PID"), cl::sub(AttachCommand),
                        cl::cat(ToolOptions), cl::desc("The process"));
static cl::list<std::string>
    Fentry("fentry", cl::value_desc("GLOB"), cl::sub(AttachCommand),
           cl::cat(ToolOptions),
           cl::desc("Call the next program when these functions are entered"));
static cl::list<std::string>
    Fexit("fexit", cl::value_desc("GLOB"), cl::sub(AttachCommand),
          cl::cat(ToolOptions),
          cl::desc("Call it when they are left, with the result"));
static cl::list<std::string>
    FmodRet("fmod-ret", cl::value_desc("GLOB"), cl::sub(AttachCommand),
            cl::cat(ToolOptions),
            cl::desc("Call it first: it may answer in their place"));
static cl::list<std::string> Session("session", cl::value_desc("GLOB"),
                                     cl::sub(AttachCommand),
                                     cl::cat(ToolOptions),
                                     cl::desc("Call it at entry and exit"));
static cl::opt<bool>
    SkipInvalid("skip-invalid", cl::sub(AttachCommand), cl::cat(ToolOptions),
                cl::desc("Leave out functions that the program is refused on"));
static cl::list<std::string> Programs(cl::Positional, cl::OneOrMore,
                                      cl::desc("PROGRAM..."),
                                      cl::sub(AttachCommand),
                                      cl::cat(ToolOptions));

static constexpr char Help[] = R"(
  PROGRAM is FILE:SYMBOL, of a shared object, behind an option that says when it
  is called; or a BPF object, whose sections say that. SYMBOL is a function of the
  type patchbay_handler, or a struct patchbay_program, which also says what it
  asks of functions; <patchbay/link.h> is the manual of the first, <patchbay/bpf.h>
  of the second. GLOB matches names as that of 'patchbay live' does, in sections of
  BPF objects mangled ones only. Several programs are attached in the order of the
  command line, all or none.

  They stay attached until this command ends, by Ctrl-C or otherwise; shared
  objects are unloaded then, when no thread is in them. Their constructors and
  destructors run in a thread of the process that has no open files. Records that BPF programs
  put into ring buffers are printed as they come, what their maps hold at the end.

  A process that was not started with 'patchbay record --live', or with live=1 in
  PATCHBAY, gets the runtime, on x86-64 and AArch64, as with 'patchbay record -p', for as
  long as this command runs, or another that is attached to it; it can be recorded
  meanwhile. It has to be one that you may debug: yours, or as root any
  (ptrace(2), /proc/sys/kernel/yama/ptrace_scope), in containers, too. This command opens the
  file, the process gets the descriptor; its user has to be allowed to read it. A
  file is loaded only if it belongs to you, to the user of the process or to root,
  and if nobody else may write to it. $ORIGIN in it is no folder.

  Where <asm/types.h> is in a folder of the architecture's, as on Debian, BPF is
  compiled with -I/usr/include/$(uname -m)-linux-gnu, too.

EXAMPLES:
  clang -shared -fPIC -O2 prog.c -o prog.so
  patchbay attach -p 4711 --fexit 'lua_*' prog.so:on_return
  patchbay attach -p 4711 --skip-invalid --session '*' prog.so:durations
  clang -target bpf -O2 -g -c prog.bpf.c
  patchbay attach -p 4711 prog.bpf.o

EXIT CODES:
  0  success: the programs were attached, until the end was asked for or the
     process ended
  1  the process does not exist, is not yours to debug, cannot load the runtime or
     listens no more, or does not load the program
  2  wrong usage
  3  no function that GLOB matches
)";

namespace {

struct Wanted {
  std::string Kind, Glob, File, Symbol;
};

} // namespace

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

// What stands where: options are for the program behind them.
static std::map<unsigned, std::pair<StringRef, StringRef>> wordsInOrder() {
  std::map<unsigned, std::pair<StringRef, StringRef>> Words;
  auto Add = [&](StringRef Kind, const cl::list<std::string> &List) {
    for (unsigned I = 0; I < List.size(); ++I)
      Words[List.getPosition(I)] = {Kind, List[I]};
  };
  Add("fentry", Fentry);
  Add("fexit", Fexit);
  Add("fmod-ret", FmodRet);
  Add("session", Session);
  Add("", Programs);
  return Words;
}

static Expected<Wanted> programOf(StringRef Kind, StringRef Glob,
                                  StringRef Word) {
  Wanted W;
  auto [File, Symbol] = Word.rsplit(':');
  if (Kind.empty() && Word.contains(':'))
    return makeError(Usage, "'" + Word +
                                "' has no functions: put --fentry GLOB, or "
                                "another kind, before it");
  if (!Kind.empty() && (File.empty() || Symbol.empty()))
    return makeError(Usage, "--" + Kind + " " + Glob + ": '" + Word +
                                "' is not of the form FILE:SYMBOL");
  SmallString<128> Path(File);
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return makeError("cannot tell where " + File + " is: " + EC.message());
  W.Kind = Kind.str();
  W.Glob = Glob.str();
  W.File = Path.str().str();
  W.Symbol = Symbol.str();
  return W;
}

static Expected<std::vector<Wanted>> programs() {
  std::vector<Wanted> All;
  StringRef Kind, Glob;
  for (const auto &[Position, Word] : wordsInOrder()) {
    if (!Word.first.empty()) {
      if (!Kind.empty())
        break;
      std::tie(Kind, Glob) = Word;
      continue;
    }
    auto W = programOf(Kind, Glob, Word.second);
    if (!W)
      return W.takeError();
    All.push_back(*W);
    Kind = Glob = "";
  }
  if (!Kind.empty())
    return makeError(Usage, "--" + Kind + " " + Glob +
                                " has no program: put FILE:SYMBOL behind it");
  return All;
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

static std::string textOf(const Wanted &W) {
  std::string Text;
  for (StringRef Part :
       {StringRef(W.Kind), StringRef(W.Glob), StringRef(W.File),
        StringRef(W.Symbol), StringRef(SkipInvalid ? "s" : "")}) {
    Text += Part;
    Text += '\0';
  }
  return Text;
}

static std::string nameOf(const Wanted &W) {
  return W.Symbol.empty() ? W.File : W.File + ":" + W.Symbol;
}

static Error notLoaded(const Wanted &W, const Twine &Why) {
  return processError(Pid, nameOf(W) + " was not attached: " + W.File + ": " +
                               Why);
}

// The process would say what its loaders say, who know of a descriptor only.
static Error checkFormat(const Wanted &W, int File) {
  ELF::Elf64_Ehdr Header = {};
  bool IsBpf = W.Kind.empty();
  if (pread(File, &Header, sizeof(Header), 0) != sizeof(Header) ||
      !Header.checkMagic())
    return notLoaded(W, "not an ELF file: compile it first, as 'patchbay "
                              "attach --help' shows");
  if (IsBpf && Header.e_machine != ELF::EM_BPF)
    return notLoaded(W, "not a BPF object (clang -target bpf -c): a program of a "
                        "shared object is FILE:SYMBOL, behind --fentry GLOB or "
                        "another kind");
  if (!IsBpf && Header.e_type != ELF::ET_DYN)
    return notLoaded(W, "not a shared object (clang -shared -fPIC): a BPF object "
                        "stands alone, and its sections say when it is called");
  return Error::success();
}

// As of what else a process loads for its user: a file that somebody else could
// have written would be somebody else's code. Who may exchange files in its
// folder, or the folder, is not asked.
static Expected<int> openProgram(const Wanted &W) {
  struct stat Status, Process;
  int File = open(W.File.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (File < 0)
    return notLoaded(W, errnoText(errno));
  scope_exit Close([&] { close(File); });
  if (fstat(File, &Status))
    return notLoaded(W, errnoText(errno));
  if (!S_ISREG(Status.st_mode))
    return notLoaded(W, "no regular file");
  bool IsItsUsers = !stat(("/proc/" + std::to_string(Pid)).c_str(), &Process) &&
                    Status.st_uid == Process.st_uid;
  if ((Status.st_uid && Status.st_uid != geteuid() && !IsItsUsers) ||
      Status.st_mode & (S_IWGRP | S_IWOTH))
    return notLoaded(W, "not loaded: it has to belong to you, to the user of the "
                        "process or to root, and to be writable by nobody else");
  if (Error E = checkFormat(W, File))
    return std::move(E);
  Close.release();
  return File;
}

static Error noFunction(const Wanted &W, const LiveSelection &Selection) {
  return makeError(NothingFound, "process " + Twine(Pid) + ": " + nameOf(W) +
                                     " was not attached: no function with a site has a "
                                     "name that matches '" +
                                     W.Glob + "'" + Selection.hint());
}

static Error refused(const Wanted &W, const LiveSelection &Selection,
                     const pb_control_reply &Reply, StringRef Why) {
  if (Reply.result == -ENOSYS)
    return processError(Pid, "it was started by an older patchbay, which "
                             "attaches no programs");
  std::string What = nameOf(W) + " was not attached: ";
  // Where names were sent, the process says which of them it does not know.
  bool IsGlob = !W.Glob.empty() && Selection.file() < 0;
  if (Reply.result == -ENOENT && IsGlob)
    return noFunction(W, Selection);
  return processError(
      Pid, What + (Why.empty() ? errnoText(-Reply.result) : Why.str()));
}

static Expected<ControlSocket> attach(const Wanted &W, int Program) {
  std::string Text = textOf(W);
  // Whether it listens at all. While names are looked up it is not to wait.
  if (Error E = ControlSocket::connect(Pid).takeError())
    return std::move(E);
  LiveSelection Selection(Pid, W.Glob);
  auto Socket = ControlSocket::connect(Pid);
  if (!Socket)
    return Socket.takeError();
  if (Error E = Socket->send(PB_CONTROL_ATTACH, Text,
                             {Selection.file(), Program}))
    return std::move(E);
  std::vector<std::string> Said;
  auto Reply =
      Socket->receive([&](StringRef Line) { Said.push_back(printable(Line)); });
  if (!Reply)
    return Reply.takeError();
  // The reason is the error's, others are beside it.
  std::string Why;
  if (Reply->result < 0 && !Said.empty()) {
    Why = Said.front();
    Said.erase(Said.begin());
  }
  for (const std::string &Line : Said)
    errs() << "patchbay: " << Line << '\n';
  if (Reply->result < 0)
    return refused(W, Selection, *Reply, Why);
  outs() << "attached " << printable(nameOf(W)) << " to " << Reply->result
         << (Reply->result == 1 ? " function" : " functions") << '\n';
  return std::move(*Socket);
}

// Prints what comes from the processes' side. False: it is closed.
static bool printText(ControlSocket &Socket) {
  std::string Text;
  if (!Socket.receiveText(Text))
    return false;
  outs() << printable(Text) << '\n';
  outs().flush();
  return true;
}

// Until a signal asks for the end, or the process has ended.
static Error wait(std::vector<ControlSocket> &Sockets, int Signals) {
  std::vector<pollfd> Fds;
  for (const ControlSocket &Socket : Sockets)
    Fds.push_back({Socket.descriptor(), POLLIN, 0});
  Fds.push_back({Signals, POLLIN, 0});
  while (poll(Fds.data(), Fds.size(), -1) >= 0 || errno == EINTR) {
    if (Fds.back().revents)
      return Error::success();
    for (size_t I = 0; I < Sockets.size(); ++I)
      if (Fds[I].revents && !printText(Sockets[I])) {
        if (!hasEndedSoon(Pid))
          return processError(Pid, "it listens no more, and all that was attached is "
                                   "not any more: it executes another program, has "
                                   "restricted its system calls (seccomp) or files "
                                   "(Landlock), or the runtime in it could not go on "
                                   "when a recording ended");
        outs() << "process " << Pid << " has ended\n";
        return Error::success();
      }
  }
  return Error::success();
}

namespace {
/// A process that nobody has prepared listens for as long as this, or another command's
/// like it, keeps it.
class Visited {
public:
  Visited(Visited &&Other) : Held(std::move(Other.Held)) {}
  ~Visited();
  /// Nothing is done to a process that listens already.
  static Expected<Visited> begin(int Process, ArrayRef<Wanted> All);

private:
  Visited() = default;

  std::unique_ptr<Visit> Held;
};

/// The files that are to be attached, before anything is done to the process.
class OpenPrograms {
public:
  OpenPrograms() = default;
  OpenPrograms(OpenPrograms &&Other) : Files(std::move(Other.Files)) {}
  ~OpenPrograms() {
    for (int File : Files)
      close(File);
  }
  static Expected<OpenPrograms> open(ArrayRef<Wanted> All);
  int operator[](size_t I) const { return Files[I]; }

private:
  std::vector<int> Files;
};
} // namespace

Expected<OpenPrograms> OpenPrograms::open(ArrayRef<Wanted> All) {
  OpenPrograms Result;
  for (const Wanted &W : All) {
    auto File = openProgram(W);
    if (!File)
      return File.takeError();
    Result.Files.push_back(*File);
  }
  return std::move(Result);
}

Visited::~Visited() {
  if (!Held)
    return;
  Held->finish();
  Held->awaitEnd();
}

static Error load(int Process, ArrayRef<Wanted> All) {
  auto Library = openTracer();
  if (!Library)
    return Library.takeError();
  auto Memory = openProcess(Process);
  if (!Memory)
    return Memory.takeError();
  if (Error E = checkProcess(*Memory, *Library))
    return E;
  if (Error E = LiveProcess::open(Process).takeError())
    return E;
  for (const Wanted &W : All)
    if (LiveSelection Selection(Process, W.Glob);
        !W.Glob.empty() && Selection.isNothing())
      return noFunction(W, Selection);
  return Visit::loadIdle(*Memory, *Library);
}

// The runtime may go with the command that it was there for, as one that was killed just
// now: then it is loaded again.
Expected<Visited> Visited::begin(int Process, ArrayRef<Wanted> All) {
  constexpr unsigned Tries = 20, PauseUs = 5000;
  Visited V;
  EndedMeanwhile Meanwhile(Process);
  for (unsigned Try = 1;; ++Try) {
    auto Listens = ControlSocket::listens(Process);
    if (!Listens)
      return Listens.takeError();
    if (!*Listens)
      if (Error E = Meanwhile.judge(load(Process, All)))
        return std::move(E);
    auto Held = Visit::keep(Process);
    if (Held) {
      V.Held = std::move(*Held);
      return V;
    }
    if (Try == Tries || hasEnded(Process))
      return Held.takeError();
    consumeError(Held.takeError());
    usleep(PauseUs);
  }
}

static Expected<int> runAttach(ArrayRef<const char *>) {
  if (!Pid.getNumOccurrences())
    return makeError(Usage, "no process is named: use -p PID");
  auto All = programs();
  if (!All)
    return All.takeError();
  // Before anything is attached: signals are looked at in wait() only.
  sigset_t Ends;
  sigemptyset(&Ends);
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&Ends, Signal);
  sigprocmask(SIG_BLOCK, &Ends, nullptr);
  int Signals = signalfd(-1, &Ends, SFD_CLOEXEC);
  if (Signals < 0)
    return makeError("cannot wait for signals: " + errnoText(errno));

  for (const Wanted &W : *All)
    if (size_t Size = textOf(W).size(); Size >= PB_CONTROL_TEXT_MAX)
      return makeError(Usage, "a program and functions of " + Twine(Size) +
                                  " bytes: use fewer than " +
                                  Twine(PB_CONTROL_TEXT_MAX));
  if (Error E = ControlSocket::listens(Pid).takeError())
    return std::move(E);
  auto Files = OpenPrograms::open(*All);
  if (!Files)
    return Files.takeError();
  // Before them, as it has to go after them.
  auto Held = Visited::begin(Pid, *All);
  if (!Held)
    return Held.takeError();
  std::vector<ControlSocket> Sockets;
  for (size_t I = 0; I != All->size(); ++I) {
    auto Socket = attach((*All)[I], (*Files)[I]);
    if (!Socket)
      return Socket.takeError();
    Sockets.push_back(std::move(*Socket));
  }
  outs().flush();
  if (Error E = wait(Sockets, Signals))
    return std::move(E);
  for (ControlSocket &Socket : Sockets) {
    Socket.finish();
    while (printText(Socket))
      ;
  }
  close(Signals);
  return Success;
}

const Verb patchbay::AttachVerb = {AttachCommand, Help, runAttach};
