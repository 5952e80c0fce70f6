// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RuntimeFiles.h"
#include "LoadedModules.h"
#include "live/LiveProcess.h"
#include "support/Diagnostics.h"
#include "trace/format/control.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

// Adds the libraries in Library's folder that Library needs, each after its dependencies.
static Error addLibraries(const ElfImage &Library, std::vector<std::string> &All) {
  auto Needed = Library.dynamicStrings(ELF::DT_NEEDED);
  if (!Needed)
    return Needed.takeError();
  for (const std::string &Name : *Needed) {
    SmallString<128> Path(sys::path::parent_path(Library.path()));
    sys::path::append(Path, Name);
    if (!sys::fs::exists(Path) || is_contained(All, Path.str()))
      continue;
    auto Other = ElfImage::open(Path);
    if (!Other)
      return Other.takeError();
    if (Error E = addLibraries(*Other, All))
      return E;
  }
  if (!is_contained(All, Library.path()))
    All.push_back(Library.path());
  return Error::success();
}

static Expected<Injection> byContents(const ElfImage &Library) {
  Injection Result;
  Result.ByContents = true;
  if (Error E = addLibraries(Library, Result.Paths))
    return std::move(E);
  return Result;
}

// Does the process find the same file at this path?
static bool findsSame(const ProcessMemory &Memory, const std::string &Path) {
  return sys::fs::equivalent(Path, Memory.proc("root") + Path);
}

static Error otherVersion(const ProcessMemory &Memory, const Twine &Why) {
  return Memory.error("it has a runtime of another version: " + Why +
                      ": use the patchbay of that version, or restart the process");
}

// The path of the tracer library that the process has loaded; empty if none is loaded. Fails
// for another version. (The core library has its own version.)
static Expected<std::string> loadedTracer(ProcessMemory &Memory) {
  std::string Path;
  auto Look = [&](const MappedImage &Image, uint64_t Descriptor) -> Error {
    pb_control_note Note;
    if (!Memory.read(Descriptor, Note))
      return Error::success();
    if (Note.version != PB_CONTROL_VERSION)
      return otherVersion(Memory, Image.Path + " speaks version " +
                                      Twine(Note.version) +
                                      " of the protocol, this patchbay version " +
                                      Twine(PB_CONTROL_VERSION));
    Path = Image.Path.str();
    return Error::success();
  };
  if (Error E = forEachMappedNote(Memory, PATCHBAY_NOTE_CONTROL,
                                  sizeof(pb_control_note), Look))
    return std::move(E);
  return Path;
}

Expected<Injection> patchbay::runtimeFor(const ProcessMemory &Of,
                                         const ElfImage &Library) {
  auto Memory = ProcessMemory::open(Of.pid());
  if (!Memory)
    return Memory.takeError();
  auto Tracer = loadedTracer(*Memory);
  if (!Tracer)
    return Tracer.takeError();
  auto Core = LiveProcess::open(Of.pid());
  if (!Core) {
    // NothingFound: the process lacks the core library, which is no error.
    if (Error Other = handleErrors(Core.takeError(),
                                   [](std::unique_ptr<ToolError> E) -> Error {
                                     if (E->code() == NothingFound)
                                       return Error::success();
                                     return Error(std::move(E));
                                   }))
      return std::move(Other);
  }
  if (!Tracer->empty()) {
    auto Modules = LoadedModules::read(*Memory);
    if (!Modules)
      return Modules.takeError();
    for (const LoadedModule &M : Modules->all())
      if (M.Path == *Tracer && M.find("patchbay_trace_visit"))
        return Injection{{M.Name}};
    return otherVersion(*Memory, *Tracer + " cannot begin a recording later");
  }
  if (findsSame(Of, Library.path()))
    return Injection{{Library.path()}};
  return byContents(Library);
}

Expected<InjectionResult> patchbay::injectRuntime(ProcessMemory &Memory,
                                                  Injection What,
                                                  const ElfImage &Library) {
  auto Result = inject(Memory, What);
  if (Result || What.ByContents)
    return Result;
  // The loader reports this text for every error of open(2).
  std::string Why = toString(Result.takeError());
  if (!StringRef(Why).contains("cannot open shared object file"))
    return makeError(Why);
  auto Contents = byContents(Library);
  if (!Contents)
    return Contents.takeError();
  What.Paths = Contents->Paths;
  What.ByContents = true;
  return inject(Memory, What);
}
