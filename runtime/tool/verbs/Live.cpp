// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay live`: asks a process that is being traced to trace something else.
#include "DurationText.h"
#include "ListLive.h"
#include "Verb.h"
#include "live/ControlSocket.h"
#include "live/DataCopy.h"
#include "live/LiveSelection.h"
#include "live/ThreadName.h"
#include "recording/FlightRecorder.h"
#include "recording/OutputDir.h"
#include "showing/Durations.h"
#include "showing/Table.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <climits>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static cl::SubCommand LiveCommand("live",
                                  "Change what is traced in a running process");
// A string, as LLVM goes on with 0 where a positional number is none.
static cl::opt<std::string> Process("p", cl::value_desc("PID"),
                                    cl::sub(LiveCommand), cl::cat(ToolOptions),
                                    cl::desc("The process; PID may also stand "
                                             "on its own"));
static cl::opt<std::string> ProcessAlone(cl::Positional, cl::desc("[PID]"),
                                         cl::sub(LiveCommand),
                                         cl::cat(ToolOptions));
static int Pid;
static cl::opt<bool> List("list", cl::sub(LiveCommand), cl::cat(ToolOptions),
                          cl::desc("List the functions and what traces them"));
static cl::list<std::string>
    Disarm("disarm", cl::value_desc("GLOB"), cl::sub(LiveCommand),
           cl::cat(ToolOptions),
           cl::desc("Trace these functions no more; may be repeated"));
static cl::alias DisarmShort("N", cl::Prefix, cl::aliasopt(Disarm),
                             cl::NotHidden, cl::cat(ToolOptions), cl::desc("Same as --disarm"));
static cl::list<std::string>
    Arm("arm", cl::value_desc("GLOB"), cl::sub(LiveCommand),
        cl::cat(ToolOptions),
        cl::desc("Trace these functions as well; may be repeated"));
static cl::alias ArmShort("F", cl::Prefix, cl::aliasopt(Arm),
                          cl::NotHidden, cl::cat(ToolOptions), cl::desc("Same as --arm"));
static cl::list<std::string>
    Under("under", cl::value_desc("GLOB"), cl::sub(LiveCommand),
          cl::cat(ToolOptions),
          cl::desc("From now on record only within calls of these functions, which "
                   "begin from now on; may be repeated"));
static cl::opt<bool>
    Everywhere("everywhere", cl::sub(LiveCommand), cl::cat(ToolOptions),
               cl::desc("Record wherever calls are made, again: undo --under"));
static cl::alias ArmLong("filter", cl::aliasopt(Arm), cl::NotHidden, cl::cat(ToolOptions),
                         cl::desc("Same as --arm"));
static cl::alias DisarmLong("notrace", cl::aliasopt(Disarm), cl::NotHidden, cl::cat(ToolOptions),
                            cl::desc("Same as --disarm"));
static cl::opt<std::string>
    Threshold("threshold", cl::value_desc("DURATION"), cl::sub(LiveCommand),
              cl::cat(ToolOptions),
              cl::desc("Drop calls that take less: 200us"));
static cl::opt<std::string>
    Snapshot("snapshot", cl::value_desc("DIR"), cl::sub(LiveCommand),
             cl::cat(ToolOptions),
             cl::desc("Write what is recorded by now to this directory"));

static cl::opt<std::string>
    Watch("watch", cl::value_desc("DIR"), cl::sub(LiveCommand),
          cl::cat(ToolOptions),
          cl::desc("Write a snapshot into this directory each time that something "
                   "happens, until the process ends, or until Ctrl-C"));
static cl::opt<std::string> Slower(
    "slower", cl::value_desc("DURATION"), cl::sub(LiveCommand),
    cl::cat(ToolOptions),
    cl::desc("With --watch, when a call took that long: 10ms; once in a second "
             "at most"));
static cl::opt<std::string>
    Every("every", cl::value_desc("DURATION"), cl::sub(LiveCommand),
          cl::cat(ToolOptions),
          cl::desc("With --watch, whenever this time has passed: 60s"));
static cl::opt<unsigned>
    Keep("keep", cl::value_desc("N"), cl::sub(LiveCommand), cl::cat(ToolOptions),
         cl::desc("With --watch, remove the oldest snapshots when there are more"));
static cl::opt<std::string>
    MaxSize("max-size", cl::value_desc("SIZE"), cl::sub(LiveCommand),
            cl::cat(ToolOptions),
            cl::desc("With --watch, remove the oldest snapshots when all of them "
                     "take more of the disk; with K, M or G"));

static constexpr char Help[] = R"(
  Without an option it shows how the process is traced. Several options are
  carried out in this order: --disarm, --arm, --under,
  --threshold, --snapshot, --watch or --list.

  The process has to be recorded by 'patchbay record -p', or started with 'patchbay
  record --live', or with live=1 in PATCHBAY; privileged programs (AT_SECURE) never listen. Children that it forks
  listen each for themselves, such as the workers of a server: what is changed in
  one process is changed in no other. You may do this to processes that you may debug: yours, or as root any
  (ptrace(2), /proc/sys/kernel/yama/ptrace_scope), in containers, too.

  GLOB matches names of functions in modules that are loaded, mangled or demangled,
  as -F of 'patchbay record'; 'patchbay list -p PID' shows them. Demangled names are
  looked up in the files that the process has mapped.

  With --under calls are recorded only while their thread is in a call of one of these
  functions in modules that are loaded; these calls themselves, too, if the functions are
  traced. A call that has begun by then does not count, nor one of those of an earlier
  --under.

  What is disarmed is recorded no more, at once. The command then waits for handlers
  that are running, for ten seconds at most; a warning names the thread that is in
  one for longer, because it is stopped, for instance. Until it goes on, the same
  functions cannot be armed again.

  A snapshot is a recording, for you alone as those of 'patchbay record':
  'patchbay report DIR' shows it, and an earlier one in DIR is moved to DIR.old. The process goes on meanwhile, whatever becomes of the
  copy.

  With --watch this command goes on, as a flight recorder does: the process records
  with --overwrite, so its buffers always have the last events, and they are copied
  when a call was slower than --slower, when the function of --stop-at was called, when
  this command gets SIGUSR1, when --every has passed, and when the process ends, however
  it does. No tracer stops for that. DIR/TIME-REASON is a recording that appears when
  it is complete, as for a collector that watches DIR; TIME is UTC, and REASON is slow,
  stopped, signal, time or end. --keep and --max-size count and remove snapshots of this
  process in this recording only; all other files and directories in DIR stay.

EXAMPLES:
  patchbay record --live -t function_duration --overwrite -- ./server &
  patchbay live -p 4711
  patchbay live -p 4711 --threshold 1ms --disarm 'log_*'
  patchbay live -p 4711 -F 'http_*' -N 'http_log*'
  patchbay live -p 4711 --under handle_request
  patchbay live -p 4711 --list | grep ' armed '
  patchbay live -p 4711 --snapshot slow.data && patchbay report slow.data
  patchbay live -p 4711 --watch flight --slower 10ms --keep 20 --max-size 1G

EXIT CODES:
  0  success
  1  the process does not exist or does not listen, is not yours to debug, or
     could not do what it was asked
  2  wrong usage
  3  no function that GLOB matches could be armed, or disarmed
)";

static Error failure(const Twine &What) { return processError(Pid, What); }

// Names: a descriptor to send along, or -1. *Received: one that comes back.
static Expected<pb_control_reply> request(pb_control_verb Verb,
                                          StringRef Text = "", int Names = -1,
                                          int *Received = nullptr) {
  if (Text.size() >= PB_CONTROL_TEXT_MAX)
    return makeError(Usage, "a pattern or time of " + Twine(Text.size()) +
                                " bytes: use fewer than " +
                                Twine(PB_CONTROL_TEXT_MAX));
  auto Socket = ControlSocket::connect(Pid);
  if (!Socket)
    return Socket.takeError();
  if (Error E = Socket->send(Verb, Text, {Names, /*Program=*/-1}))
    return std::move(E);
  auto Reply = Socket->receive(nullptr, Received);
  if (Reply && Reply->result == -EUNATCH)
    return notRecorded(Pid);
  return Reply;
}

//===----------------------------------------------------------------------===//
// What can be asked for
//===----------------------------------------------------------------------===//

static std::string functions(uint64_t N) {
  return std::to_string(N) + (N == 1 ? " function" : " functions");
}

// What the process itself was refused, which is no fault of who asks.
static std::string refusalText(int Errno) {
  std::string Text = errnoText(Errno);
  if (Errno == EACCES)
    Text += ": it may not change its own code, since it has given up its "
            "privileges, or was forked by one that had";
  return Text;
}

static Error change(pb_control_verb Verb, StringRef Done, StringRef Glob) {
  // Whether it listens at all, before names are looked up.
  if (Error E = ControlSocket::connect(Pid).takeError())
    return E;
  LiveSelection Selection(Pid, Glob);
  auto Reply = request(Verb, Glob, Selection.file());
  if (!Reply)
    return Reply.takeError();
  // Where functions without exits are skipped, none at all is no error.
  if (Reply->result == -ENOENT || Reply->result == 0)
    return makeError(
        NothingFound,
        "process " + Twine(Pid) + ": no function that is " +
            (Verb == PB_CONTROL_ARM ? "not traced already" : "traced") +
            " has a name that matches '" + Glob + "'" + Selection.hint());
  // It is done, and what was asked for; so it goes on.
  if (Reply->result == -ETIMEDOUT) {
    warn("process " + Twine(Pid) + ": '" + Glob + "' was " + Done + ", but " +
         threadText(Pid, Reply->waited_for) +
         " has not yet left a handler that it was in before; " +
         functions(Reply->armed) + " now");
    return Error::success();
  }
  if (Reply->result == -EAGAIN)
    return failure("'" + Glob + "' could not be " + Done +
                   ", nothing was changed: " +
                   threadText(Pid, Reply->waited_for) +
                   " is in a handler of a function that was disarmed before; "
                   "try again later");
  if (Reply->result < 0)
    return failure("'" + Glob + "' could not be " + Done + ": " +
                   refusalText(-Reply->result));
  outs() << Done << ' ' << functions(Reply->result) << ", "
         << functions(Reply->armed) << " now\n";
  return Error::success();
}

static Error recordUnder(StringRef Glob, bool Also) {
  // Whether it listens at all, before names are looked up.
  if (Error E = ControlSocket::connect(Pid).takeError())
    return E;
  LiveSelection Selection(Pid, Glob);
  auto Reply = request(Also ? PB_CONTROL_UNDER_TOO : PB_CONTROL_UNDER, Glob,
                       Selection.file());
  if (!Reply)
    return Reply.takeError();
  if (Reply->result == -ENOENT || Reply->result == 0)
    return makeError(NothingFound,
                     "process " + Twine(Pid) + ": no function of which calls "
                     "are seen to end has a name that matches '" + Glob + "'" +
                         Selection.hint());
  if (Reply->result == -ENOSYS)
    return failure("its runtime is of an older version, and knows no --under");
  if (Reply->result < 0)
    return failure("nothing was changed for --under '" + Glob +
                   "': " + refusalText(-Reply->result));
  outs() << "recording within calls of " << functions(Reply->roots) << " now\n";
  return Error::success();
}

static Error recordEverywhere() {
  auto Reply = request(PB_CONTROL_UNDER);
  if (!Reply)
    return Reply.takeError();
  if (Reply->result)
    return failure("it could not be recorded everywhere: " +
                   errnoText(-Reply->result));
  outs() << "recording everywhere\n";
  return Error::success();
}

static Error setThreshold(uint64_t Ns) {
  auto Reply = request(PB_CONTROL_THRESHOLD, durationWord(Ns));
  if (!Reply)
    return Reply.takeError();
  switch (Reply->result) {
  case 0:
    outs() << "threshold " << durationText(Reply->threshold_ns) << '\n';
    return Error::success();
  case -EOPNOTSUPP:
    return failure("its tracer, " + Twine(Reply->tracer) +
                   ", records no durations, so there is no threshold");
  default:
    return failure("the threshold could not be set: " +
                   errnoText(-Reply->result));
  }
}

// An earlier recording in the directory would be moved, with the process's
// file.
static bool isRecordedTo(StringRef Dir, StringRef File) {
  SmallString<128> Path(sys::path::parent_path(File));
  sys::path::make_absolute("/proc/" + std::to_string(Pid) + "/cwd", Path);
  return sys::fs::equivalent(Dir, Path);
}

static Error takeSnapshot() {
  // Whether it listens at all, and records, before anything is moved.
  int Data = -1;
  auto Reply = request(PB_CONTROL_SNAPSHOT, "", -1, &Data);
  if (!Reply)
    return Reply.takeError();
  scope_exit Close([&] { close(Data); });
  if (isRecordedTo(Snapshot, Reply->file))
    return makeError(Usage, "--snapshot: the process records to " +
                                Twine(Snapshot) + ": choose another directory");
  if (Reply->result == -ENODATA)
    return failure("no snapshot could be written: it has no file, since it has "
                   "recorded nothing, or could make none");
  if (Reply->result)
    return failure("no snapshot of " + printable(Reply->file) +
                   " could be written: " + errnoText(-Reply->result));
  auto Dir = OutputDir::create(Snapshot);
  if (!Dir)
    return Dir.takeError();
  std::string Path = Dir->path() + "/" + std::to_string(Pid) + PBD_SUFFIX;
  if (Error E = copyData(Data, Path)) {
    Dir->undo();
    return failure("no snapshot could be written: " + toString(std::move(E)));
  }
  outs() << "snapshot in " << printable(Snapshot) << '\n';
  return Error::success();
}

static Error showStatus() {
  auto Reply = request(PB_CONTROL_STATUS);
  if (!Reply)
    return Reply.takeError();
  outs() << "tracer     " << printable(Reply->tracer) << '\n'
         << "functions  " << Reply->armed << '\n'
         << "threshold  " << durationText(Reply->threshold_ns) << '\n';
  if (Reply->roots)
    outs() << "under      " << functions(Reply->roots) << '\n';
  outs() << "recording  " << (Reply->recording ? "yes" : "no") << '\n'
         << "file       " << (*Reply->file ? printable(Reply->file) : "none yet")
         << '\n';
  return Error::success();
}

// A whole number behind which there is one of Units, times what that is.
static bool parseNumber(StringRef Text,
                        ArrayRef<std::pair<StringRef, uint64_t>> Units,
                        uint64_t &Value) {
  if (Text.consumeInteger(10, Value))
    return false;
  for (const auto &[Unit, Factor] : Units)
    if (Text == Unit) {
      Value = SaturatingMultiply(Value, Factor);
      return true;
    }
  return false;
}

static Expected<FlightOptions> flightOptions() {
  FlightOptions Options;
  uint64_t Ns = 0;
  Options.Pid = Pid;
  Options.Folder = Watch;
  Options.Keep = Keep;
  if (Watch.empty())
    return makeError(Usage, "--watch needs a directory, its name is empty");
  if (!Every.empty()) {
    if (Error E = readDuration("--every", Every).moveInto(Ns))
      return std::move(E);
    if (Ns < 1000000 || Ns / 1000000 > INT_MAX)
      return makeError(Usage,
                       "--every: '" + Every + "' is no time from 1ms to 596h");
    Options.Every = std::chrono::milliseconds(Ns / 1000000);
  }
  if (!Slower.empty()) {
    if (Error E = readDuration("--slower", Slower).moveInto(Ns))
      return std::move(E);
    Options.Slower = durationWord(Ns);
  }
  if (!MaxSize.empty() &&
      (!parseNumber(MaxSize,
                    {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}},
                    Options.MaxBytes) ||
       !Options.MaxBytes))
    return makeError(Usage, "--max-size: '" + MaxSize +
                                "' is not a whole number with one of the units "
                                "K, M, G");
  if (Keep.getNumOccurrences() && !Keep)
    return makeError(Usage, "--keep takes a number from 1 on");
  return Options;
}

static Error checkWatch() {
  for (const cl::Option *Given : std::initializer_list<const cl::Option *>{
           &Slower, &Every, &Keep, &MaxSize})
    if (Given->getNumOccurrences() && !Watch.getNumOccurrences())
      return makeError(Usage, "--" + Given->ArgStr +
                                  " is for snapshots: add --watch DIR");
  return Error::success();
}

static Expected<int> runLive(ArrayRef<const char *>) {
  bool IsAlone = ProcessAlone.getNumOccurrences();
  if (IsAlone == (Process.getNumOccurrences() != 0))
    return makeError(Usage, IsAlone ? "two processes are named: use -p PID once"
                                    : "no process is named: use -p PID");
  const std::string &Text = IsAlone ? ProcessAlone : Process;
  if (!to_integer(Text, Pid, 10))
    return makeError(Usage, "'" + Text +
                                "' is no process ID: that is a number from 1 "
                                "on");
  if (Snapshot.getNumOccurrences() && Snapshot.empty())
    return makeError(Usage, "--snapshot needs a directory, its name is empty");
  uint64_t ThresholdNs = 0;
  if (Threshold.getNumOccurrences())
    if (Error E = readDuration("--threshold", Threshold).moveInto(ThresholdNs))
      return std::move(E);
  if (Error E = checkWatch())
    return std::move(E);
  std::optional<FlightOptions> Flight;
  if (Watch.getNumOccurrences()) {
    auto Options = flightOptions();
    if (!Options)
      return Options.takeError();
    Flight = std::move(*Options);
  }
  if (Everywhere && !Under.empty())
    return makeError(Usage, "--everywhere is the opposite of --under: choose one");
  for (const std::string &Glob : Disarm)
    if (Error E = change(PB_CONTROL_DISARM, "disarmed", Glob))
      return std::move(E);
  for (const std::string &Glob : Arm)
    if (Error E = change(PB_CONTROL_ARM, "armed", Glob))
      return std::move(E);
  for (const std::string &Glob : Under)
    if (Error E = recordUnder(Glob, /*Also=*/Glob != Under.front()))
      return std::move(E);
  if (Everywhere)
    if (Error E = recordEverywhere())
      return std::move(E);
  if (Threshold.getNumOccurrences())
    if (Error E = setThreshold(ThresholdNs))
      return std::move(E);
  if (!Snapshot.empty())
    if (Error E = takeSnapshot())
      return std::move(E);
  if (Flight)
    return keepSnapshots(*Flight);
  if (List) {
    NameFilter Every({});
    return listLive(Pid, Every, nullptr, /*Json=*/false);
  }
  bool Asked = Everywhere || !Under.empty() || Disarm.getNumOccurrences() || Arm.getNumOccurrences() ||
               Threshold.getNumOccurrences() || !Snapshot.empty();
  if (!Asked)
    if (Error E = showStatus())
      return std::move(E);
  return Success;
}

const Verb patchbay::LiveVerb = {LiveCommand, Help, runLive};
