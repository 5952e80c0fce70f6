// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataFiles.h"
#include "OwnFiles.h"
#include "trace/format/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

// An unused spare file has no magic, which is written last.
Descriptor patchbay::openUnusedSpare(int Dir, StringRef File) {
  char Magic[sizeof(pbd_header::magic)] = {};
  if (ownName(File) != OwnName::Spare)
    return {};
  Descriptor FD = openPlainFile(Dir, File);
  if (FD >= 0 && read(FD, Magic, sizeof(Magic)) >= 0 && !Magic[0])
    return FD;
  return {};
}

const char patchbay::KernelFile[] = "0" PBD_SUFFIX;

static bool isUnused(StringRef File) {
  const Descriptor FD = openUnusedSpare(AT_FDCWD, File);
  return FD >= 0;
}

Expected<std::vector<std::string>> patchbay::dataFiles(StringRef Dir) {
  if (ownName(Dir) != OwnName::None && sys::fs::is_regular_file(Dir))
    return std::vector<std::string>{Dir.str()};
  std::vector<std::string> Files;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Dir, EC), End; !EC && I != End;
       I.increment(EC))
    if (StringRef(I->path()).ends_with(PBD_SUFFIX) && !isUnused(I->path()))
      Files.push_back(I->path());
  if (EC)
    return errorCodeToError(EC);
  llvm::sort(Files, [](StringRef A, StringRef B) {
    auto IsKernel = [](StringRef F) { return sys::path::filename(F) == KernelFile; };
    return std::pair(IsKernel(A), A) < std::pair(IsKernel(B), B);
  });
  return Files;
}

// Reads the command, and the note after it, which follows a NUL.
static std::pair<std::string, std::string> commandAndNote(StringRef Dir) {
  StringRef Folder = sys::fs::is_directory(Dir) ? Dir : sys::path::parent_path(Dir);
  auto Text = MemoryBuffer::getFile((Folder.empty() ? "." : Folder) + "/" + CommandFile);
  StringRef All = Text ? (*Text)->getBuffer() : "";
  if (!All.consume_front(CommandMagic))
    return {};
  auto [Command, Note] = All.split('\0');
  return {Command.rtrim('\n').str(), Note.str()};
}

std::string patchbay::commandOf(StringRef Dir) { return commandAndNote(Dir).first; }

std::string patchbay::noteOf(StringRef Dir) { return commandAndNote(Dir).second; }

std::string patchbay::newestSnapshot(StringRef Folder) {
  std::string Newest;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), End; !EC && I != End; I.increment(EC))
    if (isSnapshotName(sys::path::filename(I->path())))
      Newest = std::max(Newest, I->path());
  return Newest;
}
