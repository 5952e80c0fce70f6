// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay attach`: attaches programs to functions of a running process until this
// command ends.
#include "Verb.h"
#include "attach/Refusal.h"
#include "live/LiveNames.h"
#include "live/LiveProcess.h"
#include "recording/Program.h"
#include "recording/RunProgram.h"
#include "recording/Visit.h"
#include "showing/Table.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;

static OptionTable Options("attach", "Attach programs to functions of a running process");
static NumberOption Pid(Options, "p", "PID", "Attach to this process");
static StringsOption Fentry(Options.in("Programs"), "fentry", "GLOB",
                            "Call the next PROGRAM at the entry of these functions");
static StringsOption Fexit(Options, "fexit", "GLOB", "Call it at their exit, with the result");
static StringsOption FmodRet(Options, "fmod-ret", "GLOB",
                             "Call it at their entry, and let it override the result");
static StringsOption Session(Options, "session", "GLOB", "Call it at entry and exit");
static FlagOption
    SkipInvalid(Options, "skip-invalid",
                "Skip functions that do not meet the program's requirements");
static StringsOption Programs(Options, "", "PROGRAM...", "");

static constexpr char Help[] = R"(
EXAMPLES:
  clang -shared -fPIC -O2 prog.c -o prog.so
  patchbay attach -p 4711 --fexit 'lua_*' prog.so:on_return
  patchbay attach -p 4711 --skip-invalid --session '*' prog.so:durations
  clang -target bpf -O2 -g -c prog.bpf.c
  patchbay attach -p 4711 prog.bpf.o

DESCRIPTION:
  'attach' loads programs into a running process, which calls them at its
  functions. All programs are attached, in the order of the command line, or
  none. They stay attached until this command ends, by Ctrl-C or otherwise.
  A shared object is unloaded then, when no thread is in it.

PROGRAMS:
  FILE:SYMBOL  program in a shared object, after an option that says when it
               is called. SYMBOL is a function of type patchbay_handler, or a
               struct patchbay_program with requirements for functions. See
               <patchbay/link.h>.
  FILE         BPF object. Its sections say when its programs are called. See
               <patchbay/bpf.h>.

  GLOB matches names as in 'patchbay live'. In sections of BPF objects it
  matches mangled names only.

  Constructors and destructors of a shared object run in a thread without open
  files. 'attach' prints records from BPF ring buffers as they come, and the
  contents of BPF maps at the end.

  To compile BPF on Debian, add -I/usr/include/$(uname -m)-linux-gnu for
  <asm/types.h>.

PERMISSIONS:
  You need the right to debug the process: it is yours, or you are root. See
  ptrace(2) and /proc/sys/kernel/yama/ptrace_scope. It may be in a container.

  You, the user of the process or root must own FILE, and no other user may
  write to it. 'attach' opens FILE and passes the descriptor to the process.
  The user of the process needs the right to read it. $ORIGIN in it does not
  work.

RUNTIME:
  'attach' loads the runtime into the process if it does not listen yet, as
  'patchbay record -p' does (x86-64 and AArch64). The runtime stays while a
  command is attached. The process can be recorded at the same time. A process
  listens already after 'patchbay record --live', or with live=1 in PATCHBAY.

EXIT CODES:
  0  success: the programs were attached until this command or the process ended
  1  the process does not exist, is not yours to debug, cannot load the runtime
     or a program, or closed the connection
  2  wrong usage
  3  no function matches GLOB
)";

namespace {

struct Wanted {
  std::string Kind, Glob, File, Symbol;
};

} // namespace

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

// Options and programs, by position on the command line. An option applies to the next
// program.
static std::map<unsigned, std::pair<StringRef, StringRef>> wordsInOrder() {
  std::map<unsigned, std::pair<StringRef, StringRef>> Words;
  auto Add = [&](StringRef Kind, const StringsOption &List) {
    for (unsigned I = 0; I < List.size(); ++I)
      Words[List.Positions[I]] = {Kind, List[I]};
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
                                "' has no functions: put --fentry GLOB or "
                                "another kind before it");
  if (!Kind.empty() && (File.empty() || Symbol.empty()))
    return makeError(Usage, "--" + Kind + " " + Glob + ": '" + Word +
                                "' is not FILE:SYMBOL");
  SmallString<128> Path(File);
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return makeError("cannot get the absolute path of " + File + ": " + EC.message());
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
                                " has no program: put FILE:SYMBOL after it");
  return All;
}

//===----------------------------------------------------------------------===//
// Process
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

// Checks the file before sending it: the process gets only a descriptor, so its error
// messages could not name the file.
static Error checkFormat(const Wanted &W, int File) {
  ELF::Elf64_Ehdr Header = {};
  bool IsBpf = W.Kind.empty();
  if (pread(File, &Header, sizeof(Header), 0) != sizeof(Header) ||
      !Header.checkMagic())
    return notLoaded(W, "not an ELF file: compile it first, as 'patchbay "
                              "attach --help' shows");
  if (IsBpf && Header.e_machine != ELF::EM_BPF)
    return notLoaded(W, "not a BPF object (clang -target bpf -c): use --fentry GLOB "
                        "FILE:SYMBOL, or another kind, for a shared object");
  if (!IsBpf && Header.e_type != ELF::ET_DYN)
    return notLoaded(W, "not a shared object (clang -shared -fPIC): use FILE alone, "
                        "without --" + W.Kind + ", for a BPF object");
  return Error::success();
}

// Opens a program. Refuses a file that another user could have written, since the
// process would run that user's code. Does not check the file's directories.
static Expected<Descriptor> openProgram(const Wanted &W) {
  struct stat Status, Process;
  Descriptor File = open(W.File.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (File < 0)
    return notLoaded(W, errnoText(errno));
  if (fstat(File, &Status))
    return notLoaded(W, errnoText(errno));
  if (!S_ISREG(Status.st_mode))
    return notLoaded(W, "not a regular file");
  bool IsItsUsers = !stat(("/proc/" + std::to_string(Pid)).c_str(), &Process) &&
                    Status.st_uid == Process.st_uid;
  if ((Status.st_uid && Status.st_uid != geteuid() && !IsItsUsers) ||
      Status.st_mode & (S_IWGRP | S_IWOTH))
    return notLoaded(W, "unsafe owner or mode: chown it to you, to the user of the "
                        "process or to root, and use 'chmod go-w'");
  if (Error E = checkFormat(W, File))
    return std::move(E);
  return std::move(File);
}

static Error noFunction(const Wanted &W, const LiveSelection &Selection) {
  return makeError(NothingFound, "process " + Twine(Pid) + ": " + nameOf(W) +
                                     " was not attached: no traceable function "
                                     "matches '" +
                                     W.Glob + "'" + Selection.hint());
}

static Error refused(const Wanted &W, const LiveSelection &Selection,
                     const pb_control_reply &Reply, StringRef Why) {
  if (Reply.result == -ENOSYS)
    return processError(Pid, "its runtime is of an older patchbay, which cannot "
                             "attach programs: start the process with this patchbay");
  std::string What = nameOf(W) + " was not attached: ";
  // For a file of names, the process itself lists the unknown names.
  bool IsGlob = !W.Glob.empty() && Selection.file() < 0;
  if (Reply.result == -ENOENT && IsGlob)
    return noFunction(W, Selection);
  return processError(
      Pid, What + (Why.empty() ? errnoText(-Reply.result) : Why.str()));
}

static Expected<ControlSocket> attach(const Wanted &W, int Program) {
  std::string Text = textOf(W);
  // Fail early if the process does not listen. Close this connection, so that the process
  // does not wait for a request during the lookup of names.
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
  // The first line from the process is the reason for the error.
  std::string Why;
  if (Reply->result < 0 && !Said.empty()) {
    Why = Said.front();
    Said.erase(Said.begin());
  }
  for (const std::string &Line : Said)
    errs() << "patchbay: " << Line << '\n';
  if (Reply->result < 0)
    return refused(W, Selection, *Reply, Why);
  outs() << "attached " << printable(nameOf(W)) << " to "
         << counted(Reply->result, "function") << '\n';
  return std::move(*Socket);
}

// Prints a line from the process. Returns false if the connection is closed.
static bool printText(ControlSocket &Socket) {
  std::string Text;
  if (!Socket.receiveText(Text))
    return false;
  outs() << printable(Text) << '\n';
  outs().flush();
  return true;
}

// Waits for a signal, or for the end of the process.
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
          return processError(Pid, "it closed the connection, and its programs are "
                                   "detached: it called exec(), restricted its system "
                                   "calls (seccomp) or files (Landlock), or its runtime "
                                   "ended with a recording");
        outs() << "process " << Pid << " has ended\n";
        return Error::success();
      }
  }
  return Error::success();
}

namespace {
/// Keeps the runtime loaded in a process that was started without it. The runtime listens
/// as long as at least one command has a Visited object.
class Visited {
public:
  Visited(Visited &&Other) : Held(std::move(Other.Held)) {}
  ~Visited();
  /// Does nothing if the process already listens.
  static Expected<Visited> begin(int Process, ArrayRef<Wanted> All);

private:
  Visited() = default;

  std::unique_ptr<Visit> Held;
};
} // namespace

// Opens all programs, before the command changes the process.
static Expected<std::vector<Descriptor>> openPrograms(ArrayRef<Wanted> All) {
  std::vector<Descriptor> Files;
  for (const Wanted &W : All) {
    auto File = openProgram(W);
    if (!File)
      return File.takeError();
    Files.push_back(std::move(*File));
  }
  return std::move(Files);
}

Visited::~Visited() {
  if (!Held)
    return;
  Held->finish();
  Held->awaitEnd();
}

static Error load(int Process, ArrayRef<Wanted> All) {
  auto Library = openTracer(TracerKind::Listens);
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

// Fails if an ended thread holds the loader's lock. Succeeds if the process does not permit
// debugging, since the loader's state is then unknown.
static Error checkLoader(int Process) {
  auto Memory = ProcessMemory::open(Process);
  if (Memory)
    return checkLoaderLock(*Memory);
  consumeError(Memory.takeError());
  return Error::success();
}

// Tries again if the runtime was unloaded meanwhile. The process unloads the runtime when
// the last command that needs it is killed.
Expected<Visited> Visited::begin(int Process, ArrayRef<Wanted> All) {
  constexpr unsigned Tries = 20, PauseUs = 5000;
  Visited V;
  EndedMeanwhile Meanwhile(Process);
  for (unsigned Try = 1;; ++Try) {
    auto Listens = ControlSocket::listens(Process);
    if (!Listens)
      return Listens.takeError();
    if (Error E = *Listens ? checkLoader(Process) : Meanwhile.judge(load(Process, All)))
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
  if (!Pid.given())
    return makeError(Usage, "no process is named: use -p PID");
  auto All = programs();
  if (!All)
    return All.takeError();
  // Block signals before anything is attached, since only wait() handles them.
  auto Signals = blockSignals({SIGINT, SIGTERM, SIGHUP});
  if (!Signals)
    return Signals.takeError();

  for (const Wanted &W : *All)
    if (size_t Size = textOf(W).size(); Size >= PB_CONTROL_TEXT_MAX)
      return makeError(Usage, "GLOB, file and symbol have " + Twine(Size) +
                                  " bytes: use fewer than " +
                                  Twine(PB_CONTROL_TEXT_MAX));
  if (Error E = ControlSocket::listens(Pid).takeError())
    return std::move(E);
  auto Files = openPrograms(*All);
  if (!Files)
    return Files.takeError();
  // Declare Held before the sockets, so that it is destroyed after them.
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
  if (Error E = wait(Sockets, *Signals))
    return std::move(E);
  for (ControlSocket &Socket : Sockets) {
    Socket.finish();
    while (printText(Socket))
      ;
  }
  return Success;
}

const Verb patchbay::AttachVerb = {Options, Help, runAttach};
