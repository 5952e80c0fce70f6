// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rotation.h"
#include "OutputDir.h"
#include "Recorder.h"
#include "reading/DataFile.h"
#include "reading/DataFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;
using namespace std::chrono_literals;

// Polling intervals, which are short because threads may be waiting for space.
static constexpr std::chrono::milliseconds ShortestWait = 10ms, LongestWait = 100ms;

// If no process has used a file for this time, the newest file may be removed, too, to
// leave space for a program that starts later. Before, the recording may be ending.
static constexpr std::chrono::seconds NewestWait = 1s;

// An upper bound for the resolution of time stamps of files. Within this time, the
// directory may change twice with the same time stamp.
static constexpr uint64_t StampNs = 100000000;

// Returns "20260131T235959.999Z" for "42.20260131T235959.999Z.pbd"; empty for names
// without a time.
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

// Has the file no events? The last file of a process may be empty.
static bool isEmpty(const DataFile &Data) {
  return Data.Session->Part > 1 && Data.Threads.empty() &&
         Data.Histograms.empty() && Data.Samples.empty() &&
         llvm::all_of(Data.Losses, [](uint64_t N) { return N == 0; });
}

// Renames a complete file to the time of its last event. If a file has that name, uses the
// next free time. Returns whether anything has changed.
static bool giveFinalName(const std::string &File) {
  DataFile Data;
  Error E = readDataSummary(File, Data);
  bool IsDamaged = errorToBool(std::move(E));
  if (!Data.Session)
    return false;
  if (!IsDamaged && isEmpty(Data))
    return !unlink(File.c_str());
  uint64_t Ns = Data.Session->Last.RealtimeNs;
  for (unsigned Tries = 0; Tries != 1000; ++Tries, Ns += 1000000) {
    std::string To = (sys::path::parent_path(File) + "/" + Twine(Data.Pid) + "." +
                      stamp(Ns) + PBD_SUFFIX)
                         .str();
    if (moveUnlessThere(File, To))
      return true;
    if (errno != EEXIST)
      return false;
  }
  return false;
}

static uint64_t bytesOf(const std::string &File) {
  struct stat Status;
  return lstat(File.c_str(), &Status) ? 0 : uint64_t(Status.st_blocks) * 512;
}

static uint64_t bytesIn(const std::string &Dir, uint64_t Recording) {
  uint64_t Bytes = 0;
  auto Files = dataFiles(Dir);
  if (!errorToBool(Files.takeError()))
    for (const std::string &File : *Files)
      if (auto Header = ownHeader(AT_FDCWD, File); Header && Header->recording == Recording)
        Bytes += bytesOf(File);
  return Bytes;
}

bool patchbay::hasRoom(const std::string &Dir, const RecordingLimits &Limits,
                       uint64_t Bytes) {
  return !Limits.MaxSize || bytesIn(Dir, Limits.Recording) + Bytes <= Limits.MaxSize;
}

bool Rotation::isOurs(const std::string &File) const {
  auto Header = ownHeader(AT_FDCWD, File);
  return Header && Header->recording == Limits.Recording;
}

// Checks the lock before the arena: a process without a lock gets no more memory for the
// file, so the second answer stays valid.
bool Rotation::isInUse(const std::string &File) const {
  auto Header = ownHeader(AT_FDCWD, File);
  return !filesInUse({File}).empty() ||
         (Memory && Header && Memory->has(sys::path::filename(File), Header->start_ns));
}

void Rotation::readNames() {
  struct stat Status;
  timespec Now;
  auto Ns = [](const timespec &T) { return uint64_t(T.tv_sec) * 1000000000 + T.tv_nsec; };
  clock_gettime(CLOCK_REALTIME, &Now);
  if (stat(Dir.c_str(), &Status) ||
      (Ns(Status.st_mtim) == Ns(Seen) && Ns(Now) - Ns(Seen) > StampNs))
    return;
  Seen = Status.st_mtim;
  Written.clear();
  decltype(Complete) Found;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Dir, EC, /*follow_symlinks=*/false), End; !EC && I != End;
       I.increment(EC)) {
    const std::string &File = I->path();
    const OwnName Kind = ownName(File);
    if (Kind == OwnName::Data || Kind == OwnName::Spare)
      Written.push_back(File);
    if (Kind != OwnName::Whole)
      continue;
    std::pair<std::string, std::string> Key = {stampOf(File).str(), File};
    if (auto Known = Complete.find(Key); Known != Complete.end())
      Found.insert(*Known);
    else if (isOurs(File))
      Found.emplace(std::move(Key), bytesOf(File));
  }
  Complete = std::move(Found);
}

void Rotation::makeRoom(uint64_t MostBytes, size_t Least) {
  pba_arena *Counted = Memory && Limits.MaxSize ? Memory->arena() : nullptr;
  uint64_t Bytes = 0, Used = 0;
  bool IsCounted = false;
  if (Counted) {
    Used = __atomic_load_n(&Counted->size_used, __ATOMIC_SEQ_CST);
    IsCounted = !__atomic_load_n(&Counted->size_changing, __ATOMIC_SEQ_CST);
  }
  for (const auto &[Key, Size] : Complete)
    Bytes += Size;
  for (const std::string &File : Written)
    if (Limits.MaxSize && isOurs(File))
      Bytes += bytesOf(File);
  // Correct the counter, since other programs may remove files. Wait while a process
  // changes the counter (size_changing); the process may have ended meanwhile.
  if (IsCounted && !__atomic_load_n(&Counted->size_changing, __ATOMIC_SEQ_CST))
    __atomic_compare_exchange_n(&Counted->size_used, &Used, Bytes, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_RELAXED);
  while (Complete.size() > Least && ((Limits.Keep && Complete.size() > Limits.Keep) ||
                                     (Limits.MaxSize && Bytes > MostBytes))) {
    const auto Oldest = Complete.begin();
    const std::string &File = Oldest->first.second;
    // Check the file again, since another program may have replaced it.
    if (isOurs(File) && !unlink(File.c_str())) {
      ++Removed;
      if (Counted)
        __atomic_fetch_sub(&Counted->size_used, Oldest->second, __ATOMIC_SEQ_CST);
    }
    Bytes -= Oldest->second;
    Complete.erase(Oldest);
    IsBusy = true;
  }
}

bool Rotation::look(bool IsEnd) {
  if (!Limits.Rotates)
    return false;
  bool Any = false;
  IsBusy = false;
  readNames();
  for (const std::string &File : Written) {
    if (!isOurs(File))
      continue;
    if (isInUse(File))
      Any = true;
    else
      IsBusy |= giveFinalName(File);
  }
  if (IsBusy)
    readNames();
  const auto Now = std::chrono::steady_clock::now();
  if (Any || IsBusy)
    LastUse = Now;
  const bool KeepsNewest = IsEnd || (!Any && (Ends || Now - LastUse < NewestWait));
  // Leave space for the next file: from a quarter to half of the limit. A thread without
  // space loses events until files are removed.
  const uint64_t Next =
      std::min(std::max(Limits.MaxSize / 4, Limits.RotateSize), Limits.MaxSize / 2);
  makeRoom(IsEnd ? Limits.MaxSize : Limits.MaxSize - Next, /*Least=*/KeepsNewest);
  return Any;
}

void Rotation::start() {
  if (!Limits.Rotates)
    return;
  // Block signals in the new thread: the command's first thread handles signals.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Thread = std::thread([this] {
    using Clock = std::chrono::steady_clock;
    for (auto Wait = ShortestWait; !Ends;) {
      const auto Begin = Clock::now();
      look();
      Wait = IsBusy || Limits.MaxSize ? ShortestWait : std::min(2 * Wait, LongestWait);
      // Checking many files takes long. Sleep nine times as long, so that checks use at
      // most a tenth of a processor.
      std::this_thread::sleep_for(
          std::clamp<Clock::duration>(9 * (Clock::now() - Begin), Wait, LongestWait));
    }
  });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void Rotation::stop() {
  Ends = true;
  if (Thread.joinable())
    Thread.join();
}

uint64_t Rotation::finish() {
  stop();
  look(/*IsEnd=*/true);
  return Removed;
}
