// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OptionFile.h"
#include "reading/OwnFiles.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

// The kernel limits a string of the environment to 128 KiB (MAX_ARG_STRLEN), and it
// reduces the space for arguments of each started program.
static constexpr size_t MostInVariable = 16 * 1024;

std::string patchbay::escapeOption(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (C == ',' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result;
}

// All users that can read the directory can read the file.
static Error writeFile(int Dir, const std::string &Name, StringRef Options) {
  struct stat Folder;
  if (fstat(Dir, &Folder))
    return errorCodeToError(errnoAsErrorCode());
  int File = openat(Dir, Name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0600 | (Folder.st_mode & 0044));
  if (File < 0)
    return errorCodeToError(errnoAsErrorCode());
  raw_fd_ostream OS(File, /*shouldClose=*/true);
  OS << PBD_SELECTION_MAGIC << ',' << Options;
  OS.flush();
  if (geteuid() == 0 && !OS.has_error() &&
      fchown(File, Folder.st_uid, Folder.st_gid))
    return errorCodeToError(errnoAsErrorCode());
  std::error_code EC = OS.error();
  OS.clear_error();
  return errorCodeToError(EC);
}

Expected<std::string> patchbay::withOutput(StringRef Options, int Dir, StringRef Output,
                                           unsigned Number) {
  std::string Suffix = ",output=" + escapeOption(Output);
  if (Options.size() + Suffix.size() <= MostInVariable)
    return Options.str() + Suffix;
  // Programs that read PATCHBAY expect the tracer in it.
  auto [Tracer, Rest] = Options.split(',');
  std::string Name = utostr(Number) + PBD_SELECTION_SUFFIX;
  if (Error E = writeFile(Dir, Name, Rest)) {
    unlinkat(Dir, Name.c_str(), 0);
    return makeError("cannot write " + Output + "/" + Name + ": " +
                     toString(std::move(E)));
  }
  return Tracer.str() + Suffix + ",selection=" + escapeOption((Output + "/" + Name).str());
}

void patchbay::removeOptionFiles(int Dir) {
  int Copy = openat(Dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *Stream = Copy < 0 ? nullptr : fdopendir(Copy);
  if (!Stream)
    return;
  while (const dirent *Entry = readdir(Stream))
    if (ownName(Entry->d_name) == OwnName::Selection && isOwnFile(Dir, Entry->d_name))
      unlinkat(Dir, Entry->d_name, 0);
  closedir(Stream);
}
