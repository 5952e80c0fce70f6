// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FlightRecorder.h"
#include "RunProgram.h"
#include "live/ControlSocket.h"
#include "live/RecordedNow.h"
#include "reading/DataFiles.h"
#include "showing/Table.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <thread>

using namespace llvm;
using namespace patchbay;
using Clock = std::chrono::steady_clock;

// Minimum interval between snapshots of slow calls. Slow calls come in bursts, and copying
// takes time.
static constexpr std::chrono::seconds BetweenSlow(1);

// Prefix of the temporary name of an unfinished snapshot. Log collectors ignore names that
// begin with a dot.
static constexpr StringLiteral NewPrefix = ".new-";

namespace {
class FlightRecorder {
public:
  explicit FlightRecorder(const FlightOptions &Options) : Options(Options) {}

  Error begin();
  Error run(int Signals);

private:
  Error refused(int Errno) const;
  Error take(StringRef Why, bool HasEnded);
  Error prune() const;
  std::optional<uint64_t> sizeOfOwn(const std::string &Path) const;
  std::string fileName() const { return std::to_string(Options.Pid) + PBD_SUFFIX; }
  /// Returns false if the process has ended.
  bool wait(int Signals, std::vector<std::string> &Why);

  const FlightOptions &Options;
  std::optional<ControlSocket> Socket;
  Descriptor File; // the data file; can be read after the process has ended
  pbd_header Header = {}; // header of File
  Clock::time_point Next = Clock::time_point::max(), LastSlow;
  bool IsAsked = false; // has a signal asked this command to end?
};
} // namespace

Error FlightRecorder::refused(int Errno) const {
  switch (Errno) {
  case EUNATCH:
    return notRecorded(Options.Pid);
  case EBUSY:
    return processError(Options.Pid, "another command watches it already");
  case EOPNOTSUPP:
    return processError(
        Options.Pid, "its tracer records no durations, so slow calls are not detected: "
                     "use -t duration or -t graph");
  case ENODATA:
    return processError(Options.Pid, "it has no data file: it has recorded nothing or could "
                                     "not create one");
  case ENOSYS:
    return processError(Options.Pid, "its runtime is of an older patchbay, which does not "
                                     "support --watch");
  default:
    return processError(Options.Pid, "cannot be watched: " + errnoText(Errno));
  }
}

Error FlightRecorder::begin() {
  auto Connection = ControlSocket::connect(Options.Pid);
  if (!Connection)
    return Connection.takeError();
  if (Error E = Connection->send(PB_CONTROL_WATCH, Options.Slower, {}))
    return E;
  auto Reply = Connection->receive(nullptr, &File);
  if (!Reply)
    return Reply.takeError();
  if (Reply->result)
    return refused(-Reply->result);
  if (mkdir(Options.Folder.c_str(), 0700) && errno != EEXIST)
    return makeError("cannot create " + Options.Folder + ": " + errnoText(errno));
  Socket.emplace(std::move(*Connection));
  if (Options.Every.count())
    Next = Clock::now() + Options.Every;
  return Error::success();
}

static std::string nameOfNow(StringRef Why) {
  timespec Now;
  tm Parts;
  char Text[32];
  clock_gettime(CLOCK_REALTIME, &Now);
  gmtime_r(&Now.tv_sec, &Parts);
  strftime(Text, sizeof(Text), "%Y%m%dT%H%M%S", &Parts);
  return formatv("{0}.{1,0+3}Z-{2}", Text, Now.tv_nsec / 1000000, Why);
}

Error FlightRecorder::take(StringRef Why, bool HasEnded) {
  // Wait until the recording command has written the last events (Recorder.h).
  if (HasEnded)
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // Ask again: the process may have switched to another file (record --rotate-size).
  if (Descriptor Fresh; !HasEnded) {
    consumeError(ControlSocket::askForFile(Options.Pid, Fresh).takeError());
    if (Fresh >= 0)
      File = std::move(Fresh);
  }
  std::string Name = nameOfNow(Why);
  // Wait if a snapshot of the same millisecond has the name.
  while (!access((Options.Folder + "/" + Name).c_str(), F_OK)) {
    usleep(1000);
    Name = nameOfNow(Why);
  }
  std::string New = Options.Folder + "/" + NewPrefix.str() + Name;
  if (mkdir(New.c_str(), 0700))
    return makeError("cannot create " + New + ": " + errnoText(errno));
  std::string Copy = New + "/" + fileName();
  Error E = copyData(File, Copy);
  std::string Path = Options.Folder + "/" + Name;
  if (!E && !moveUnlessThere(New, Path))
    E = makeError(Path + ": " + errnoText(errno));
  if (E) {
    unlink(Copy.c_str());
    rmdir(New.c_str());
    return processError(Options.Pid, "no snapshot could be written: " +
                                         toString(std::move(E)));
  }
  if (auto Written = ownHeader(AT_FDCWD, Path + "/" + fileName()))
    Header = *Written;
  outs() << "snapshot in " << printable(Path) << '\n';
  outs().flush();
  return prune();
}

namespace {
struct Snapshot {
  std::string Path;
  uint64_t Bytes = 0; // size on disk
};
} // namespace

// If Path is a directory with only a snapshot of this process in this recording, returns
// its size on disk.
std::optional<uint64_t> FlightRecorder::sizeOfOwn(const std::string &Path) const {
  struct stat Status;
  if (lstat(Path.c_str(), &Status) || !S_ISDIR(Status.st_mode))
    return std::nullopt;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Path, EC, /*follow_symlinks=*/false), End;
       !EC && I != End; I.increment(EC))
    if (sys::path::filename(I->path()) != fileName())
      return std::nullopt;
  std::string File = Path + "/" + fileName();
  auto Found = ownHeader(AT_FDCWD, File);
  if (EC || !Found || Found->pid != Header.pid || Found->recording != Header.recording ||
      lstat(File.c_str(), &Status))
    return std::nullopt;
  return uint64_t(Status.st_blocks) * 512;
}

Error FlightRecorder::prune() const {
  std::vector<Snapshot> All;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Options.Folder, EC), End; !EC && I != End;
       I.increment(EC))
    if (isSnapshotName(sys::path::filename(I->path())))
      if (auto Bytes = sizeOfOwn(I->path()))
        All.push_back({I->path(), *Bytes});
  // Sort by age: names begin with the time.
  llvm::sort(All, [](const Snapshot &A, const Snapshot &B) { return A.Path < B.Path; });
  uint64_t Bytes = 0;
  for (const Snapshot &S : All)
    Bytes += S.Bytes;
  size_t Left = All.size();
  for (const Snapshot &S : All) {
    bool IsTooMany = Options.Keep && Left > Options.Keep;
    bool IsTooMuch = Options.MaxBytes && Bytes > Options.MaxBytes;
    if (!IsTooMany && !IsTooMuch)
      break;
    if (IsTooMuch && Left == 1)
      warn(S.Path + ": this snapshot alone takes more than --max-size, so it is "
                    "removed: record with a smaller --buffer");
    if (unlink((S.Path + "/" + fileName()).c_str()) || rmdir(S.Path.c_str()))
      return makeError("cannot remove " + S.Path + ": " + errnoText(errno));
    --Left;
    Bytes -= S.Bytes;
  }
  return Error::success();
}

bool FlightRecorder::wait(int Signals, std::vector<std::string> &Why) {
  int Timeout = -1;
  if (Next != Clock::time_point::max())
    Timeout = std::max<int>(
        0, std::chrono::ceil<std::chrono::milliseconds>(Next - Clock::now())
               .count());
  pollfd Fds[] = {{Socket->descriptor(), POLLIN, 0}, {Signals, POLLIN, 0}};
  poll(Fds, std::size(Fds), Timeout);
  if (Clock::now() >= Next) {
    Why.push_back("time");
    Next += Options.Every;
    // If a slow disk delays a snapshot by several intervals, take only one snapshot.
    Next = std::max(Next, Clock::now());
  }
  signalfd_siginfo Info;
  if (Fds[1].revents && read(Signals, &Info, sizeof(Info)) == sizeof(Info)) {
    if (Info.ssi_signo == SIGUSR1)
      Why.push_back("signal");
    else
      IsAsked = true;
  }
  if (!Fds[0].revents)
    return true;
  std::string Text;
  if (!Socket->receiveText(Text))
    return false;
  if (Text == PB_CONTROL_STOPPED)
    Why.push_back("stopped");
  if (Text == PB_CONTROL_SLOW && Clock::now() - LastSlow >= BetweenSlow) {
    Why.push_back("slow");
    LastSlow = Clock::now();
  }
  return true;
}

Error FlightRecorder::run(int Signals) {
  while (!IsAsked) {
    std::vector<std::string> Why;
    bool IsThere = wait(Signals, Why);
    if (!IsThere)
      Why = {"end"};
    for (const std::string &Reason : Why)
      if (Error E = take(Reason, !IsThere))
        return E;
    if (!IsThere)
      break;
  }
  return Error::success();
}

Expected<int> patchbay::keepSnapshots(const FlightOptions &Options) {
  auto Signals = blockSignals({SIGINT, SIGTERM, SIGHUP, SIGUSR1});
  if (!Signals)
    return Signals.takeError();
  FlightRecorder Recorder(Options);
  if (Error E = Recorder.begin())
    return std::move(E);
  outs() << "watching process " << Options.Pid << '\n';
  outs().flush();
  if (Error E = Recorder.run(*Signals))
    return std::move(E);
  return Success;
}
