// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OutputDir.h"
#include "Diagnostics.h"
#include "format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

namespace {
enum class Kind { Missing, Empty, Recording, Foreign };
}

Expected<std::vector<std::string>> patchbay::dataFiles(StringRef Dir) {
  std::vector<std::string> Files;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Dir, EC), End; !EC && I != End;
       I.increment(EC))
    if (StringRef(I->path()).ends_with(PBD_SUFFIX))
      Files.push_back(I->path());
  if (EC)
    return errorCodeToError(EC);
  llvm::sort(Files);
  return Files;
}

// A recording holds data files and nothing else, so that no file of anybody
// else's is ever moved or deleted.
static Expected<Kind> classify(const std::string &Path) {
  struct stat Status;
  if (lstat(Path.c_str(), &Status)) {
    if (errno == ENOENT)
      return Kind::Missing;
    return errorCodeToError(errnoAsErrorCode());
  }
  if (!S_ISDIR(Status.st_mode))
    return Kind::Foreign;
  Kind Result = Kind::Empty;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Path, EC, /*follow_symlinks=*/false), End;
       !EC && I != End; I.increment(EC)) {
    if (!StringRef(I->path()).ends_with(PBD_SUFFIX) ||
        I->type() != sys::fs::file_type::regular_file)
      return Kind::Foreign;
    Result = Kind::Recording;
  }
  if (EC)
    return errorCodeToError(EC);
  return Result;
}

static Error foreign(const Twine &Path) {
  return makeError(Path + ": exists and is not a recording of patchbay's, so "
                          "it is left alone: choose another directory with -o");
}

static Error cannot(const Twine &What, const Twine &Path, Error E) {
  return makeError("cannot " + What + " " + Path + ": " +
                   toString(std::move(E)));
}

static Error removeRecording(const std::string &Path) {
  auto Files = dataFiles(Path);
  if (!Files)
    return Files.takeError();
  for (const std::string &File : *Files)
    if (unlink(File.c_str()))
      return errorCodeToError(errnoAsErrorCode());
  if (rmdir(Path.c_str()))
    return errorCodeToError(errnoAsErrorCode());
  return Error::success();
}

// Moves a recording out of the way.
static Error moveAside(const std::string &Path, const std::string &Old) {
  auto OldKind = classify(Old);
  if (!OldKind)
    return cannot("read", Old, OldKind.takeError());
  if (*OldKind == Kind::Foreign)
    return foreign(Old);
  if (*OldKind != Kind::Missing)
    if (Error E = removeRecording(Old))
      return cannot("delete", Old, std::move(E));
  if (rename(Path.c_str(), Old.c_str()))
    return cannot("rename", Path, errorCodeToError(errnoAsErrorCode()));
  return Error::success();
}

Expected<OutputDir> OutputDir::create(StringRef Name) {
  // The traced processes may run anywhere.
  SmallString<256> Absolute = Name;
  if (std::error_code EC = sys::fs::make_absolute(Absolute))
    return cannot("find", Name, errorCodeToError(EC));
  sys::path::remove_dots(Absolute);

  OutputDir Dir;
  Dir.Path = Absolute.str().rtrim('/').str();
  auto Found = classify(Dir.Path);
  if (!Found)
    return cannot("create", Name, Found.takeError());
  if (*Found == Kind::Foreign)
    return foreign(Name);
  if (*Found == Kind::Recording) {
    Dir.Old = Dir.Path + ".old";
    if (Error E = moveAside(Dir.Path, Dir.Old))
      return E;
  }
  if (*Found != Kind::Empty) {
    if (mkdir(Dir.Path.c_str(), 0777)) {
      Error E = errorCodeToError(errnoAsErrorCode());
      Dir.undo();
      return cannot("create", Name, std::move(E));
    }
    Dir.Made = true;
  }
  if (access(Dir.Path.c_str(), W_OK | X_OK)) {
    Error E = errorCodeToError(errnoAsErrorCode());
    Dir.undo();
    return cannot("write to", Name, std::move(E));
  }
  return Dir;
}

void OutputDir::undo() {
  if (Made)
    rmdir(Path.c_str());
  if (!Old.empty())
    rename(Old.c_str(), Path.c_str());
}
