// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rotation.h"
#include "OutputDir.h"
#include "format.h"
#include "reading/DataFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

// "20260131T235959.999Z" of "42.20260131T235959.999Z.pbd"; empty of other names.
static StringRef stampOf(StringRef Path) {
  static constexpr StringLiteral Form = "99999999T999999.999Z";
  StringRef Name = sys::path::filename(Path);
  if (!Name.consume_back(PBD_SUFFIX))
    return "";
  Name = Name.drop_while(isDigit);
  if (!Name.consume_front(".") || Name.size() != Form.size())
    return "";
  for (auto [C, F] : zip(Name, Form))
    if (F == '9' ? !isDigit(C) : C != F)
      return "";
  return Name;
}

static std::string stamp(uint64_t Ns) {
  time_t Seconds = Ns / 1000000000;
  tm Parts;
  char Text[32];
  gmtime_r(&Seconds, &Parts);
  strftime(Text, sizeof(Text), "%Y%m%dT%H%M%S", &Parts);
  return formatv("{0}.{1,0+3}Z", Text, Ns / 1000000 % 1000);
}

// The last one of a process may have been begun in vain.
static bool isEmpty(const DataFile &Data) {
  return Data.Session->Part > 1 && Data.Threads.empty() &&
         Data.Histograms.empty() && Data.Samples.empty() &&
         llvm::all_of(Data.Losses, [](uint64_t N) { return N == 0; });
}

// With the time at which it was recorded last, or the next that no other file has.
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
    int Result = renameat2(AT_FDCWD, File.c_str(), AT_FDCWD, To.c_str(),
                           RENAME_NOREPLACE);
    // Some file systems, such as NFS, know no such thing.
    if (Result && errno == EINVAL && access(To.c_str(), F_OK))
      Result = rename(File.c_str(), To.c_str());
    if (!Result || errno != EEXIST)
      return;
  }
}

static uint64_t bytesOf(const std::string &File) {
  struct stat Status;
  return lstat(File.c_str(), &Status) ? 0 : uint64_t(Status.st_blocks) * 512;
}

static std::vector<std::string> filesIn(const std::string &Dir) {
  auto Files = dataFiles(Dir);
  if (Files)
    return *Files;
  consumeError(Files.takeError());
  return {};
}

static uint64_t bytesIn(const std::string &Dir) {
  uint64_t Bytes = 0;
  for (const std::string &File : filesIn(Dir))
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
  std::vector<std::string> Files = filesIn(Dir);
  std::vector<std::string> InUse = filesInUse(Files);
  for (const std::string &File : Files)
    if (stampOf(File).empty() && !is_contained(InUse, File))
      giveFinalName(File);

  Files = filesIn(Dir);
  erase_if(Files, [](const std::string &File) { return stampOf(File).empty(); });
  llvm::sort(Files, [](const std::string &A, const std::string &B) {
    return std::make_pair(stampOf(A), A) < std::make_pair(stampOf(B), B);
  });
  uint64_t Bytes = bytesIn(Dir), Removed = removedByProcesses(Dir);
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
  return !Limits.MaxSize || bytesIn(Dir) + Bytes <= Limits.MaxSize;
}

void patchbay::forgetSize(const std::string &Dir) {
  if (filesInUse(filesIn(Dir)).empty())
    unlink((Dir + "/" + PBD_SIZE_FILE).c_str());
}
