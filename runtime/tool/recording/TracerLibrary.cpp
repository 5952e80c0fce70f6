// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TracerLibrary.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>

using namespace llvm;
using namespace patchbay;

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

// The library is found relative to this command, in the layout of the build or
// of the installation.
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
      // ld.so(8) splits LD_PRELOAD at these characters, and they cannot be
      // escaped.
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
