// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay record`: runs a program with the tracer preloaded.
#include "NameFilter.h"
#include "OutputDir.h"
#include "ProfileReader.h"
#include "Program.h"
#include "Table.h"
#include "Verb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <set>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static cl::SubCommand
    RecordCommand("record",
                  "Run a program and count the calls of its functions");
// For the usage line. Main.cpp has taken the program off the command line.
static cl::list<std::string> ProgramUsage(cl::Positional,
                                          cl::desc("-- PROG [ARGS...]"),
                                          cl::sub(RecordCommand),
                                          cl::cat(ToolOptions));
static cl::list<std::string>
    Globs("F", cl::Prefix, cl::value_desc("GLOB"), cl::sub(RecordCommand),
          cl::cat(ToolOptions),
          cl::desc("Trace only functions whose name, mangled or demangled, "
                   "matches; may be repeated"));
static cl::opt<std::string>
    Output("o", cl::Prefix, cl::value_desc("DIR"), cl::init(DefaultDataDir),
           cl::sub(RecordCommand), cl::cat(ToolOptions),
           cl::desc("Directory to write (default: patchbay.data)"));
static cl::opt<bool>
    Force("force", cl::sub(RecordCommand), cl::cat(ToolOptions),
          cl::desc("Run PROG even if there is nothing to trace in it yet, for "
                   "modules that it loads and programs that it starts later"));

static constexpr char Help[] = R"(
  PROG and the libraries it needs are looked through first; if none has a
  function to trace, PROG is not run and nothing is written. An earlier
  recording in DIR is moved to DIR.old.

  Programs that PROG starts are traced too, each into a file of its own; a
  process that only forks adds to its parent's file.

  Demangled names are looked up in PROG and the libraries it needs at its
  start. In modules that it loads later, and in programs that it starts, GLOB
  matches mangled names only.

EXAMPLES:
  patchbay record -- ./server --port 80
  patchbay record -F 'lua_*' -F 'luaV_execute' -- lua fib.lua
  patchbay record -F 'Cache::*' -o cache.data -- ./server
  patchbay record --force -F 'plugin_*' -- ./host plugin.so
  patchbay record --force -- ./run-server.sh

EXIT CODES:
  The status of PROG, 128+N if signal N killed it, or
  125  patchbay failed before it ran PROG, wrong usage included
  126  PROG cannot be executed
  127  PROG cannot be found
)";

// Linux refuses an environment string of 128 KiB (MAX_ARG_STRLEN); this leaves
// room for the output directory.
static constexpr size_t MaxOptions = 112 * 1024;
static constexpr char TracerFile[] = "libpatchbay-trace.so";

//===----------------------------------------------------------------------===//
// What the tracer is told
//===----------------------------------------------------------------------===//

// Beside this command, in the layout of the build or of the installation.
static Expected<ElfImage> openTracer() {
  static const int Anchor = 0;
  std::string Self =
      sys::fs::getMainExecutable(nullptr, const_cast<int *>(&Anchor));
  StringRef Bin = sys::path::parent_path(Self);
  std::string Tried;
  for (StringRef Lib : {"../lib", PATCHBAY_LIBDIR_FROM_BINDIR}) {
    SmallString<256> Path = Bin;
    sys::path::append(Path, Lib, TracerFile);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    if (sys::fs::exists(Path)) {
      // ld.so(8) splits LD_PRELOAD there, and knows no escape.
      if (Path.str().find_first_of(": ") != StringRef::npos)
        return makeError(Twine(Path) + ": LD_PRELOAD cannot name a file with a "
                                       "space or colon in its path: move "
                                       "patchbay to another folder");
      return ElfImage::open(Path);
    }
    if (!StringRef(Tried).contains(Path))
      Tried += (Tried.empty() ? "" : " and ") + Path.str().str();
  }
  return makeError(Twine("no ") + TracerFile +
                   " beside this command: looked for " + Tried);
}

// What runtime/trace/options.c undoes.
static std::string escapeOption(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (C == ',' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result;
}

static Expected<std::string> tracerOptions(ArrayRef<std::string> Filters) {
  std::string Options = "tracer=function_profile";
  for (const std::string &Filter : Filters)
    Options += ",filter=" + escapeOption(Filter);
  if (Options.size() > MaxOptions)
    return makeError("the functions that -F matches by demangled name fill " +
                     Twine(Options.size()) +
                     " bytes, which the environment cannot hold: use globs for "
                     "mangled names, as in '_ZN5Cache*'");
  return Options;
}

//===----------------------------------------------------------------------===//
// What there is to trace
//===----------------------------------------------------------------------===//

namespace {
/// What was seen in the program and its libraries.
struct Seen {
  bool Records = false;
  std::string Stripped; // a file with records
};
} // namespace

// Adds to Filters the mangled names of functions that only match demangled,
// because the runtime matches symbols as they are.
static Error addFunctions(const ElfImage &Image, NameFilter &Filter,
                          std::set<std::string> &Filters, Seen &What) {
  auto Records = Image.records();
  if (!Records)
    return Records.takeError();
  if (Records->empty())
    return Error::success();
  auto Names = Image.symbolNames();
  if (!Names)
    return Names.takeError();
  What.Records = true;
  if (Names->stripped())
    What.Stripped = Image.path();
  for (const SiteRecord &R : *Records) {
    std::vector<StringRef> Symbols = Names->at(R.Entry);
    if (Filter.match(Symbols) == NameFilter::ByDemangledName)
      Filters.insert(Symbols.front().str());
  }
  return Error::success();
}

// Where libpatchbay.a is linked in, functions register with that copy of the
// runtime. The tracer calls it too if the program exports it, and else the one
// in libpatchbay.so, which knows nothing of them.
static Error checkRuntime(const ElfImage &Program) {
  auto Names = Program.symbolNames();
  if (!Names)
    return Names.takeError();
  if (Names->defines(PATCHBAY_MODULE_REGISTER) &&
      !Names->exports("patchbay_arm"))
    return makeError(Twine(Program.path()) +
                     ": has a copy of the runtime (libpatchbay.a) that the "
                     "tracer cannot reach: link it with libpatchbay.so, or "
                     "with neither");
  return Error::success();
}

static Error nothingToTrace(const Twine &Why) {
  std::string Later = Force
                          ? "what it loads or starts later is traced"
                          : "--force runs it for what it loads or starts later";
  // The tracer itself matches globs there.
  if (!Globs.empty())
    Later += ", where -F matches mangled names only";
  return makeError(Why + "; " + Later);
}

// Fails if recording Path, for which the kernel runs Program, would show
// nothing.
static Error checkProgram(StringRef Path, const ElfImage &Program,
                          const ElfImage &Tracer, NameFilter &Filter,
                          std::set<std::string> &Filters) {
  if (Error E = checkPreload(Program, Tracer))
    return E;
  auto Libraries = libraries(Program);
  if (!Libraries)
    return Libraries.takeError();

  Seen What;
  if (Error E = addFunctions(Program, Filter, Filters, What))
    return E;
  for (const std::string &LibraryPath : *Libraries) {
    auto Library = ElfImage::open(LibraryPath);
    if (!Library)
      return Library.takeError();
    if (Error E = addFunctions(*Library, Filter, Filters, What))
      return E;
  }

  if (Error E = checkRuntime(Program))
    return E;
  std::string Name = Path.str();
  if (Path != Program.path())
    Name += ": its interpreter " + Program.path();
  Name += " and the libraries it needs";
  if (!What.Records)
    return nothingToTrace(Name + ": " + noRecords());
  if (std::string Unmatched = Filter.unmatched(); !Unmatched.empty())
    return nothingToTrace(Name + ": no function matches " + Unmatched + ": " +
                          matchHint(What.Stripped));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

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

// Returns the wait status.
static Expected<int> run(const std::string &Path, ArrayRef<const char *> Args) {
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
    return makeError(CannotExecute, "cannot execute " + Twine(Path) + ": " +
                                        std::generic_category().message(Errno));
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

// So that it can be pasted.
static std::string shellQuoted(StringRef Text) {
  auto IsPlain = [](char C) {
    return isAlnum(C) || StringRef("%+,-./:=@_").contains(C);
  };
  if (llvm::all_of(Text, IsPlain))
    return Text.str();
  std::string Quoted = "'";
  for (char C : Text)
    Quoted += C == '\'' ? "'\\''" : std::string(1, C);
  return Quoted + "'";
}

// The processes in which some functions were not traced.
static size_t countIncomplete(ArrayRef<std::string> Files) {
  return llvm::count_if(Files, [](const std::string &File) {
    Profile Data;
    // `patchbay report` says what is wrong with a file, and where.
    consumeError(readProfile(File, Data));
    return Data.Errno != 0;
  });
}

static void sayWhereDataWent(StringRef Program, const OutputDir &Dir) {
  auto Files = dataFiles(Dir.path());
  if (!Files) {
    warn("cannot read " + Twine(Dir.path()) + ": " +
         toString(Files.takeError()));
    return;
  }
  size_t N = Files->size();
  if (N == 0) {
    warn(Twine(Program) + " wrote no data to " + Output);
    return;
  }
  std::string Said = utostr(N) + (N == 1 ? " process" : " processes") +
                     " recorded in " + Output;
  std::string See = ", see it with: patchbay report";
  if (Output != DefaultDataDir)
    See += " -i " + shellQuoted(Output);
  size_t Incomplete = countIncomplete(*Files);
  if (!Incomplete) {
    errs() << "patchbay: " << printable(Said + See) << '\n';
    return;
  }
  if (N > 1)
    Said += ", in " + utostr(Incomplete) + " of them";
  else
    Said += ", but in it";
  warn(Said + " some functions were not traced" + See);
}

static Expected<int> runRecord(ArrayRef<const char *> Args) {
  if (Args.empty())
    return makeError("no program to run: put it last, as in 'patchbay record "
                     "-F GLOB -- PROG ARGS'");
  if (Output.empty())
    return makeError("-o needs a directory, its name is empty");
  auto Path = findProgram(Args.front());
  if (!Path)
    return Path.takeError();
  auto Program = openProgram(*Path);
  if (!Program)
    return Program.takeError();
  auto Tracer = openTracer();
  if (!Tracer)
    return Tracer.takeError();

  std::vector<std::string> Given(Globs.begin(), Globs.end());
  if (Given.empty())
    Given.push_back("*");
  NameFilter Filter(Given);
  std::set<std::string> Mangled;
  if (Error E = checkProgram(*Path, *Program, *Tracer, Filter, Mangled)) {
    if (!Force)
      return E;
    warn(toString(std::move(E)));
  }
  std::vector<std::string> Filters = Given;
  Filters.insert(Filters.end(), Mangled.begin(), Mangled.end());

  auto Options = tracerOptions(Filters);
  if (!Options)
    return Options.takeError();

  auto Dir = OutputDir::create(Output);
  if (!Dir)
    return Dir.takeError();
  *Options += ",output=" + escapeOption(Dir->path());
  std::string Preload = Tracer->path();
  if (const char *Others = getenv("LD_PRELOAD"); Others && *Others)
    Preload += ":" + std::string(Others);
  setenv("LD_PRELOAD", Preload.c_str(), /*overwrite=*/1);
  setenv("PATCHBAY", Options->c_str(), /*overwrite=*/1);

  auto Status = run(*Path, Args);
  if (!Status) {
    Dir->undo();
    return Status.takeError();
  }
  sayWhereDataWent(Args.front(), *Dir);
  return WIFSIGNALED(*Status) ? 128 + WTERMSIG(*Status) : WEXITSTATUS(*Status);
}

const Verb patchbay::RecordVerb = {RecordCommand, Help, runRecord,
                                   /*RunsProgram=*/true};
