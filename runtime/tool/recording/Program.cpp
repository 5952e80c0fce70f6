// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cerrno>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>

using namespace llvm;
using namespace patchbay;

static Error cannotExecute(const Twine &Path, const Twine &Why) {
  return makeError(CannotExecute, "cannot execute " + Path + ": " + Why);
}

// Returns 0, or the errno with which execve(2) would fail.
static int executable(const std::string &Path) {
  struct stat Status;
  if (stat(Path.c_str(), &Status))
    return errno;
  if (!S_ISREG(Status.st_mode))
    return EACCES;
  return access(Path.c_str(), X_OK) ? errno : 0;
}

Expected<std::string> patchbay::findProgram(StringRef Name) {
  auto Fail = [&](int Errno) -> Error {
    std::string Why = errnoText(Errno);
    if (Errno == ENOENT || Errno == ENOTDIR)
      return makeError(NotFound, "cannot find " + Name + ": " + Why);
    return cannotExecute(Name, Why);
  };
  if (Name.contains('/')) {
    int Errno = executable(Name.str());
    if (Errno)
      return Fail(Errno);
    return Name.str();
  }

  const char *Variable = getenv("PATH");
  StringRef Path = Variable ? Variable : "/bin:/usr/bin";
  int Result = ENOENT;
  SmallVector<StringRef, 16> Folders;
  Path.split(Folders, ':');
  for (StringRef Folder : Folders) {
    // In PATH, an empty string means the current directory.
    std::string Candidate =
        Folder.empty() ? ("./" + Name).str() : (Folder + "/" + Name).str();
    int Errno = executable(Candidate);
    if (!Errno)
      return Candidate;
    // Report EACCES only if no later folder has the program.
    if (Errno == EACCES)
      Result = EACCES;
  }
  return Fail(Result);
}

// The interpreter that the first line of a script names; empty for other files.
static std::string scriptInterpreter(StringRef Path) {
  auto Buffer = MemoryBuffer::getFileSlice(Path, /*MapSize=*/2, /*Offset=*/0);
  if (!Buffer || (*Buffer)->getBuffer() != "#!")
    return {};
  auto Whole = MemoryBuffer::getFile(Path);
  if (!Whole)
    return {};
  StringRef Line = (*Whole)->getBuffer().drop_front(2).split('\n').first;
  return Line.ltrim(" \t").take_until([](char C) { return isSpace(C); }).str();
}

Expected<ElfImage> patchbay::openProgram(StringRef Path) {
  std::string File = Path.str();
  // The kernel's limit for scripts whose interpreter is a script (BINPRM_MAX_RECURSION).
  for (int Depth = 0; Depth != 5; ++Depth) {
    std::string Interpreter = scriptInterpreter(File);
    if (Interpreter.empty())
      return ElfImage::open(File);
    if (int Errno = executable(Interpreter))
      return cannotExecute(File, "its interpreter " + Interpreter + ": " +
                                     errnoText(Errno));
    File = Interpreter;
  }
  return cannotExecute(Path, "too many nested script interpreters");
}

// Will the kernel start the program in secure-execution mode, in which the loader ignores
// LD_PRELOAD?
static bool gainsPrivileges(const std::string &Path) {
  struct stat Status;
  if (stat(Path.c_str(), &Status))
    return false;
  if ((Status.st_mode & S_ISUID) && Status.st_uid != getuid())
    return true;
  constexpr mode_t SetGid = S_ISGID | S_IXGRP;
  if ((Status.st_mode & SetGid) == SetGid && Status.st_gid != getgid())
    return true;
  return getuid() != 0 &&
         getxattr(Path.c_str(), "security.capability", nullptr, 0) > 0;
}

Error patchbay::checkPreload(const ElfImage &Program, const ElfImage &Library) {
  if (Program.machine() != Library.machine())
    return makeError(Twine(Program.path()) + ": a program for " +
                     Program.machineName() + ", but " + Library.path() +
                     " is for " + Library.machineName());
  auto Interpreter = Program.interpreter();
  if (!Interpreter)
    return Interpreter.takeError();
  if (!*Interpreter) {
    auto IsLoader = Program.isLoader();
    if (!IsLoader)
      return IsLoader.takeError();
    return makeError(
        Twine(Program.path()) +
        (*IsLoader ? ": this is the loader, which runs another program: name that program "
                     "instead"
                   : ": statically linked, so no library can be preloaded into "
                     "it: link it with libpatchbay and choose the functions in "
                     "the program"));
  }
  if (gainsPrivileges(Program.path()))
    return makeError(Twine(Program.path()) +
                     ": setuid, setgid or with capabilities, so the loader "
                     "ignores LD_PRELOAD: run a copy without them");
  return Error::success();
}

// Recognizes glibc's loader by a symbol that no other loader has, since a loader may have
// any file name.
Error patchbay::checkLibc(const ElfImage &Program) {
  auto Interpreter = Program.interpreter();
  if (!Interpreter)
    return Interpreter.takeError();
  // If the loader is missing or unreadable, execve() fails with a message of its own.
  if (!*Interpreter || !sys::fs::exists(**Interpreter))
    return Error::success();
  auto Loader = ElfImage::open(**Interpreter);
  if (!Loader)
    return Loader.takeError();
  if (Loader->machine() != Program.machine())
    return Error::success();
  auto Names = Loader->symbolNames({ELF::STT_OBJECT});
  if (!Names)
    return Names.takeError();
  if (Names->exports("_rtld_global_ro"))
    return Error::success();
  return makeError(Twine(Program.path()) + ": its loader " + **Interpreter +
                   " is not glibc's, and the runtime needs glibc: link the "
                   "program for glibc");
}

// Fails for ThreadSanitizer, which ends a forked child that creates a thread if the parent
// had several threads. The sanitizer's runtime is in the program or in a library.
Error patchbay::checkOwnThread(const ElfImage &Program) {
  auto Names = Program.symbolNames();
  if (!Names)
    return Names.takeError();
  bool Has = Names->defines("__tsan_init");
  if (auto Libraries = libraries(Program))
    Has |= any_of(*Libraries, [](StringRef Path) {
      StringRef Name = sys::path::filename(Path);
      return Name.starts_with("libtsan.so") || Name.starts_with("libclang_rt.tsan");
    });
  else
    consumeError(Libraries.takeError()); // unknown, but --force is set
  if (!Has)
    return Error::success();
  return makeError(Twine(Program.path()) +
                   ": built with -fsanitize=thread, which ends forked children while the "
                   "runtime has a thread: record it without "
                   "--live, --max-rate, --max-overhead and --rotate-*");
}

// Is the file a sanitizer's runtime that must be the first loaded library? The runtime
// would otherwise end the program.
static bool insistsOnBeingFirst(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  for (StringRef Known : {"libasan.so", "libhwasan.so", "libclang_rt.asan",
                          "libclang_rt.hwasan"})
    if (Name.starts_with(Known))
      return true;
  return false;
}

std::string patchbay::preloadList(const ElfImage &Program, StringRef Tracer) {
  std::string List;
  auto Libraries = libraries(Program);
  if (!Libraries)
    consumeError(Libraries.takeError()); // unknown, but --force is set
  else
    for (StringRef Path : *Libraries)
      if (insistsOnBeingFirst(Path)) {
        // Use the file name if LD_PRELOAD cannot contain the path. The loader searches for
        // that name as it does for the program's libraries.
        bool IsPath = Path.find_first_of(": ") == StringRef::npos;
        List += (IsPath ? Path : sys::path::filename(Path)).str() + ":";
      }
  List += Tracer;
  // If this command itself is being recorded, LD_PRELOAD already has a tracer: remove it.
  SmallVector<StringRef> Others;
  if (const char *Text = getenv("LD_PRELOAD"))
    SplitString(Text, Others, ": ");
  for (StringRef Other : Others)
    if (!isTracer(Other))
      List += (":" + Other).str();
  return List;
}

// Runs the loader with --list, since its search depends on RUNPATH, ld.so.cache, hardware
// folders and LD_* in the environment. The loaders of glibc and musl both print "NAME =>
// PATH (ADDRESS)".
Expected<std::vector<std::string>>
patchbay::libraries(const ElfImage &Program) {
  auto Loader = Program.interpreter();
  if (!Loader)
    return Loader.takeError();
  if (!*Loader)
    return std::vector<std::string>();

  // Use a file in memory, since folders for temporary files may not be writable.
  const Descriptor Listing = memfd_create("patchbay-libraries", MFD_CLOEXEC);
  if (Listing < 0)
    return makeError("cannot keep a list of libraries in memory: " + errnoText(errno));
  const std::string ListingPath = "/proc/" + utostr(getpid()) + "/fd/" + utostr(Listing);
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(ListingPath),
                                          StringRef(ListingPath)};
  std::string Why;
  int Code = sys::ExecuteAndWait(
      **Loader, {StringRef(**Loader), StringRef("--list"), Program.path()},
      /*Env=*/std::nullopt, Redirects, /*SecondsToWait=*/10,
      /*MemoryLimit=*/0, &Why);
  auto Output = MemoryBuffer::getOpenFile(Listing, ListingPath, /*FileSize=*/-1);
  StringRef Text = Output ? (*Output)->getBuffer() : StringRef();

  SmallVector<StringRef, 32> Lines;
  Text.split(Lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (Code) {
    // The loader's first line names the missing library.
    if (!Lines.empty())
      Why = Lines.front().str();
    return makeError(Twine(Program.path()) +
                     ": cannot list its libraries: " + Why);
  }

  std::vector<std::string> Paths;
  for (StringRef Line : Lines) {
    auto [Name, Path] = Line.trim().split(" => ");
    if (Path.empty())
      Path = Name; // the loader, or the vDSO, which is not a file
    size_t End = Path.rfind(" (0x");
    if (End != StringRef::npos && Path.starts_with("/"))
      Paths.push_back(Path.take_front(End).str());
  }
  return Paths;
}

static constexpr size_t MostFiles = 2000;

static bool isLibraryName(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name.ends_with(".so") || Name.contains(".so.");
}

static std::string folderOf(StringRef Path) {
  SmallString<256> Real;
  if (sys::fs::real_path(Path, Real))
    return "";
  return sys::path::parent_path(Real).str();
}

// Adds the folders of DT_RUNPATH and DT_RPATH. Ignores a damaged file.
static void addRunPaths(const ElfImage &Image, std::vector<std::string> &Folders) {
  for (int64_t Tag : {ELF::DT_RUNPATH, ELF::DT_RPATH}) {
    auto Lists = Image.dynamicStrings(Tag);
    if (!Lists)
      return consumeError(Lists.takeError());
    for (const std::string &List : *Lists)
      for (StringRef Path : split(List, ':'))
        if (Path.consume_front("$ORIGIN") || Path.consume_front("${ORIGIN}"))
          Folders.push_back(folderOf(Image.path()) + Path.str());
        else if (Path.starts_with("/"))
          Folders.push_back(Path.str());
  }
}

static std::vector<std::string> foldersOf(const ElfImage &Program,
                                          ArrayRef<std::string> Needs) {
  std::vector<std::string> Folders;
  if (const char *Given = getenv("LD_LIBRARY_PATH")) {
    SmallVector<StringRef> Paths;
    StringRef(Given).split(Paths, ':', -1, /*KeepEmpty=*/false);
    for (StringRef Path : Paths)
      Folders.push_back(Path.str());
  }
  addRunPaths(Program, Folders);
  for (const std::string &Path : Needs) {
    auto Library = ElfImage::open(Path);
    if (Library)
      addRunPaths(*Library, Folders);
    else
      consumeError(Library.takeError());
  }
  Folders.push_back(folderOf(Program.path()));
  return Folders;
}

// Finds strings among the program's constants that could be arguments of
// dlopen().
static std::vector<std::string> namesIn(const ElfImage &Program) {
  std::vector<std::string> Names;
  auto Sections = expectedToOptional(Program.sectionsNamed(".rodata"));
  if (!Sections)
    return Names;
  for (const ElfImage::Shdr *Section : *Sections) {
    auto Bytes = expectedToOptional(Program.elf().getSectionContents(*Section));
    if (!Bytes)
      continue;
    for (StringRef Rest = toStringRef(*Bytes); !Rest.empty();) {
      auto [Text, Behind] = Rest.split('\0');
      if (Text.size() < 4096 && isLibraryName(Text) && all_of(Text, isPrint))
        Names.push_back(Text.str());
      Rest = Behind;
    }
  }
  return Names;
}

std::vector<std::string>
patchbay::loadableLibraries(const ElfImage &Program, ArrayRef<std::string> Needs,
                            ArrayRef<std::string> Arguments) {
  std::vector<std::string> Files;
  auto Add = [&](StringRef Path) {
    if (Files.size() < MostFiles && sys::fs::is_regular_file(Path) &&
        !is_contained(Needs, Path) && !is_contained(Files, Path))
      Files.push_back(Path.str());
  };
  for (const std::string &Argument : Arguments)
    if (isLibraryName(Argument))
      Add(Argument);
  std::vector<std::string> Folders = foldersOf(Program, Needs);
  for (const std::string &Name : namesIn(Program))
    if (StringRef(Name).contains('/'))
      Add(Name);
    else
      for (StringRef Folder : {"/lib", "/usr/lib", "/lib64", "/usr/lib64",
                               "/usr/local/lib"})
        Add((Folder + "/" + Name).str());
  for (const std::string &Folder : Folders) {
    std::error_code Error;
    for (sys::fs::directory_iterator I(Folder, Error), End; I != End && !Error;
         I.increment(Error))
      if (isLibraryName(I->path()))
        Add(I->path());
  }
  return Files;
}

static constexpr char RecordsFile[] = "libpatchbay-trace.so";
static constexpr char ListensFile[] = "libpatchbay-live.so";

bool patchbay::isTracer(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name == RecordsFile || Name == ListensFile;
}

static Expected<std::string> folderOfCommand(StringRef Sought) {
  static const int Anchor = 0;
  std::string Self =
      sys::fs::getMainExecutable(nullptr, const_cast<int *>(&Anchor));
  if (Self.empty())
    return makeError("cannot find the path of this command, and " + Sought +
                     " with it: /proc/self/exe: " + errnoText(ENOENT) +
                     " (is /proc mounted?)");
  return sys::path::parent_path(Self).str();
}

Expected<std::string> patchbay::findProbe() {
  auto Bin = folderOfCommand("cost-probe");
  if (!Bin)
    return Bin;
  SmallString<256> Path = StringRef(*Bin);
  sys::path::append(Path, "../libexec/patchbay/cost-probe");
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  if (!sys::fs::can_execute(Path))
    return makeError("no cost-probe next to this command: looked for " + Twine(Path));
  return Path.str().str();
}

// Searches for the library relative to this command, in the layouts of the build and of
// the installation.
Expected<ElfImage> patchbay::openTracer(TracerKind Kind) {
  StringRef TracerFile = Kind == TracerKind::Listens ? ListensFile : RecordsFile;
  auto Found = folderOfCommand(TracerFile);
  if (!Found)
    return Found.takeError();
  StringRef Bin = *Found;
  std::string Tried;
  for (StringRef Lib : {"../lib", PATCHBAY_TRACER_FROM_BINDIR}) {
    SmallString<256> Path = Bin;
    sys::path::append(Path, Lib, TracerFile);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    if (sys::fs::exists(Path)) {
      // ld.so(8) splits LD_PRELOAD at spaces and colons, and has no way to escape them.
      if (Path.str().find_first_of(": ") != StringRef::npos)
        return makeError(Twine(Path) + ": LD_PRELOAD cannot name a file with a "
                                       "space or colon in its path: move "
                                       "patchbay to another folder");
      return ElfImage::open(Path);
    }
    if (!StringRef(Tried).contains(Path))
      Tried += (Tried.empty() ? "" : " and ") + Path.str().str();
  }
  return makeError("no " + TracerFile + " next to this command: looked for " + Tried +
                   (Kind == TracerKind::Listens
                        ? ": it may be a package of its own, such as patchbay-live"
                        : ""));
}
