// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rotation.h"
#include "OutputDir.h"
#include "reading/DataFile.h"
#include "reading/DataFiles.h"
#include "reading/OwnFiles.h"
#include "trace/format/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

// "20260131T235959.999Z" of "42.20260131T235959.999Z.pbd"; empty for other
// names.
static StringRef stampOf(StringRef Path) {
  if (ownName(Path) != OwnName::Whole)
    return "";
  return sys::path::filename(Path).split('.').second.drop_back(strlen(PBD_SUFFIX));
}

static std::string stamp(uint64_t Ns) {
  time_t Seconds = Ns / 1000000000;
  tm Parts;
  char Text[32];
  gmtime_r(&Seconds, &Parts);
  strftime(Text, sizeof(Text), "%Y%m%dT%H%M%S", &Parts);
  return formatv("{0}.{1,0+3}Z", Text, Ns / 1000000 % 1000);
}

// The last file of a process may have no events.
static bool isEmpty(const DataFile &Data) {
  return Data.Session->Part > 1 && Data.Threads.empty() &&
         Data.Histograms.empty() && Data.Samples.empty() &&
         llvm::all_of(Data.Losses, [](uint64_t N) { return N == 0; });
}

// Uses the time of the last event, or the next time that no other file has.
static void giveFinalName(const std::string &File) {
  DataFile Data;
  Error E = readDataSummary(File, Data);
  bool IsDamaged = errorToBool(std::move(E));
  if (!Data.Session)
    return;
  if (!IsDamaged && isEmpty(Data)) {
    unlink(File.c_str());
    return;
  }
  uint64_t Ns = Data.Session->Last.RealtimeNs;
  for (unsigned Tries = 0; Tries != 1000; ++Tries, Ns += 1000000) {
    std::string To = (sys::path::parent_path(File) + "/" + Twine(Data.Pid) + "." +
                      stamp(Ns) + PBD_SUFFIX)
                         .str();
    if (moveUnlessThere(File, To) || errno != EEXIST)
      return;
  }
}

static uint64_t bytesOf(const std::string &File) {
  struct stat Status;
  return lstat(File.c_str(), &Status) ? 0 : uint64_t(Status.st_blocks) * 512;
}

// The files of this recording.
static std::vector<std::string> filesIn(const std::string &Dir, uint64_t Recording) {
  auto Files = dataFiles(Dir);
  if (!Files) {
    consumeError(Files.takeError());
    return {};
  }
  erase_if(*Files, [&](const std::string &File) {
    auto Header = ownHeader(AT_FDCWD, File);
    return !Header || Header->recording != Recording;
  });
  return std::move(*Files);
}

static uint64_t bytesIn(const std::string &Dir, uint64_t Recording) {
  uint64_t Bytes = 0;
  for (const std::string &File : filesIn(Dir, Recording))
    Bytes += bytesOf(File);
  return Bytes;
}

static uint64_t removedByProcesses(const std::string &Dir) {
  pbd_size Size = {};
  int File = open((Dir + "/" + PBD_SIZE_FILE).c_str(),
                  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (File < 0)
    return 0;
  bool IsWhole = read(File, &Size, sizeof(Size)) == sizeof(Size);
  close(File);
  return IsWhole ? Size.removed : 0;
}

uint64_t patchbay::finishRotation(const std::string &Dir,
                                  const RecordingLimits &Limits) {
  if (!Limits.Rotates)
    return 0;
  std::vector<std::string> Files = filesIn(Dir, Limits.Recording);
  std::vector<std::string> InUse = filesInUse(Files);
  for (const std::string &File : Files)
    if (stampOf(File).empty() && !is_contained(InUse, File))
      giveFinalName(File);

  Files = filesIn(Dir, Limits.Recording);
  erase_if(Files, [](const std::string &File) { return stampOf(File).empty(); });
  llvm::sort(Files, [](const std::string &A, const std::string &B) {
    return std::make_pair(stampOf(A), A) < std::make_pair(stampOf(B), B);
  });
  uint64_t Bytes = bytesIn(Dir, Limits.Recording), Removed = removedByProcesses(Dir);
  size_t Left = Files.size();
  for (const std::string &File : Files) {
    bool IsTooMany = Limits.Keep && Left > Limits.Keep;
    bool IsTooMuch = Limits.MaxSize && Bytes > Limits.MaxSize;
    if (!IsTooMany && !IsTooMuch)
      break;
    uint64_t Was = bytesOf(File);
    if (unlink(File.c_str()))
      break;
    Bytes -= Was;
    --Left;
    ++Removed;
  }
  return Removed;
}

bool patchbay::hasRoom(const std::string &Dir, const RecordingLimits &Limits,
                       uint64_t Bytes) {
  return !Limits.MaxSize || bytesIn(Dir, Limits.Recording) + Bytes <= Limits.MaxSize;
}

void patchbay::forgetSize(const std::string &Dir) {
  std::string Path = Dir + "/" + PBD_SIZE_FILE;
  auto Files = dataFiles(Dir);
  if (!errorToBool(Files.takeError()) && filesInUse(*Files).empty() &&
      isOwnFile(AT_FDCWD, Path))
    unlink(Path.c_str());
}
