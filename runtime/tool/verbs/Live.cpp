// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay live`: changes the tracing of a running process.
#include "Verb.h"
#include "analysis/Durations.h"
#include "attach/ProcessChoice.h"
#include "live/LiveNames.h"
#include "live/RecordedNow.h"
#include "live/ThreadStatus.h"
#include "recording/FlightRecorder.h"
#include "recording/Visit.h"
#include "showing/Table.h"
#include "trace/options/option_table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <climits>

using namespace llvm;
using namespace patchbay;

static OptionTable Options("live", "Change what is traced in a running process");
static StringOption Process(Options, "p", "PID", "Change this process (or give PID alone)");
static StringOption ProcessAlone(Options, "", "[PID]", "");
static pid_t Pid; // the process that the user named
static FlagOption List(Options, "list", "List the functions and their tracers");
static StringsOption Arm(Options, "arm,F,filter", "GLOB",
                         "Also trace these functions (repeatable)");
static StringsOption Disarm(Options, "disarm,N,notrace", "GLOB",
                            "Stop tracing these functions (repeatable)");
static StringsOption Under(Options, "under", "GLOB",
                           "Record only within new calls of GLOB (repeatable)");
static FlagOption Everywhere(Options, "everywhere", "Undo --under");
static DurationOption Threshold(Options, "threshold", "Drop calls shorter than DURATION (200us)");
static StringOption Snapshot(Options.in("Snapshots"), "snapshot", "DIR",
                             "Write the events up to now to DIR");
static StringOption Watch(Options, "watch", "DIR", "Write a snapshot into DIR at each trigger");
static DurationOption Slower(Options, "slower", "With --watch: trigger at a slower call (10ms)");
static DurationOption Every(Options, "every", "With --watch: trigger at this interval (60s)");
static NumberOption Keep(Options, "keep", "N", "With --watch: keep at most N snapshots");
static StringOption MaxSize(Options, "max-size", "SIZE",
                            "With --watch: limit snapshots to SIZE (K, M, G)");

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay record --live -t duration --overwrite -- ./server &
  patchbay live -p 4711
  patchbay live -p 4711 --threshold 1ms --disarm 'log_*'
  patchbay live -p 4711 -F 'http_*' -N 'http_log*'
  patchbay live -p 4711 --under handle_request
  patchbay live -p 4711 --list | grep ' armed '
  patchbay live -p 4711 --snapshot slow.data && patchbay report slow.data
  patchbay live -p 4711 --watch flight --slower 10ms --keep 20

DESCRIPTION:
  'live' changes the tracing of a running process. Without an option it shows
  how the process is traced. The order of several options is always:
    --disarm, --arm, --under, --threshold, --snapshot, --watch or --list

PROCESSES:
  The process must listen. 'patchbay record -p' and 'patchbay record --live'
  make it listen, and so does live=1 in PATCHBAY. Privileged programs
  (AT_SECURE) never listen. Each forked child, such as a worker of a server,
  listens for itself: a change affects one process.

  You need the right to debug the process: it is yours, or you are root. See
  ptrace(2) and /proc/sys/kernel/yama/ptrace_scope. It may be in a container.

FUNCTIONS:
  GLOB matches mangled and demangled names of functions in loaded modules, as
  'record -F' does. 'patchbay list -p PID' shows the names. Demangled names come
  from the files that the process has mapped.

  --disarm stops recording at once. Then the command waits up to ten seconds
  for running handlers. If a thread stays in a handler, because it is stopped
  for instance, a warning names the thread. Until it leaves the handler, the
  same functions cannot be armed again.

  --under records only while the thread is in a call of one of the functions.
  It records these calls, too, if the functions are traced. Calls that began
  earlier, or under an earlier --under, do not count.

SNAPSHOTS:
  A snapshot is a recording that only you can read. 'patchbay report DIR' shows
  it. An earlier recording in DIR is renamed to DIR.old. The process keeps
  running during the copy.

FLIGHT RECORDER:
  --watch writes snapshots until the process ends, or until Ctrl-C. Record the
  process with --overwrite, so that its buffers have the last events. Each
  snapshot is DIR/TIME-REASON, with TIME in UTC and one of these reasons:
    slow     a call was slower than --slower; at most once a second
    stopped  a function of --stop-at was called
    signal   this command received SIGUSR1
    time     the interval of --every passed
    end      the process ended, for any reason

  A snapshot does not stop tracing. It appears when it is complete, so a
  collector may watch DIR. --keep and --max-size count and remove snapshots of
  this process in this recording. All other files in DIR stay.

EXIT CODES:
  0  success
  1  the process does not exist, does not listen, is not yours to debug, or
     could not make the change
  2  wrong usage
  3  no function that matches GLOB could be armed, or disarmed
)";

static Error failure(const Twine &What) { return processError(Pid, What); }

// Sends a request, and returns the reply. Names: a descriptor to send, or -1.
// *Received: the descriptor in the reply.
static Expected<pb_control_reply> request(pb_control_verb Verb,
                                          StringRef Text = "", int Names = -1,
                                          Descriptor *Received = nullptr) {
  if (Text.size() >= PB_CONTROL_TEXT_MAX)
    return makeError(Usage, "the value has " + Twine(Text.size()) +
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
// Requests
//===----------------------------------------------------------------------===//

// The message for a request that the process could not carry out.
static std::string refusalText(int Errno) {
  std::string Text = errnoText(Errno);
  if (Errno == EACCES)
    Text += ": it cannot change its own code after it dropped privileges, or as a "
            "child of such a process";
  return Text;
}

// Waits while `record -p` attaches to the process, since the process refuses requests until
// then. Does not wait for a process that listens but does not answer.
static void waitForRecorder() {
  using namespace std::chrono;
  const auto Begun = steady_clock::now();
  while (isNamedByRecorder(Pid)) {
    const auto Asked = steady_clock::now();
    auto Reply = request(PB_CONTROL_STATUS);
    if (Reply)
      return;
    consumeError(Reply.takeError());
    const auto Now = steady_clock::now();
    if (Now - Asked > 500ms || Now - Begun > 5s)
      return;
    std::this_thread::sleep_for(20ms);
  }
}

// Fails if the process does not listen. Advises whether `record -p` can record the process.
static Error checkListens() {
  auto Listens = ControlSocket::listens(Pid);
  if (!Listens)
    return Listens.takeError();
  if (*Listens || ControlSocket::isLeft(Pid))
    return Error::success();
  return failure("it does not listen: start it with 'patchbay record --live', or with "
                 "live=1 in PATCHBAY; " +
                 recordAdvice(Pid, "records it as it runs"));
}

static Error change(pb_control_verb Verb, StringRef Done, StringRef Glob) {
  // Fail early if the process does not listen, before names are looked up.
  if (Error E = ControlSocket::connect(Pid).takeError())
    return E;
  LiveSelection Selection(Pid, Glob);
  auto Reply = request(Verb, Glob, Selection.file());
  if (!Reply)
    return Reply.takeError();
  // 0 means that functions match, but the tracer needs exits and no function has exits that
  // can be traced.
  if (Reply->result == -ENOENT || Reply->result == 0)
    return makeError(
        NothingFound,
        "process " + Twine(Pid) + ": no " +
            (Verb == PB_CONTROL_ARM ? "untraced" : "traced") + " function matches '" +
            Glob + "'" + Selection.hint());
  // The change was made: warn and continue with the next option.
  if (Reply->result == -ETIMEDOUT) {
    warn("process " + Twine(Pid) + ": '" + Glob + "' was " + Done + ", but " +
         threadText(Pid, Reply->waited_for) + " is still in a handler; " +
         counted(Reply->armed, "function") + " now");
    return Error::success();
  }
  if (Reply->result == -EAGAIN)
    return failure("'" + Glob + "' could not be " + Done +
                   ", nothing was changed: " +
                   threadText(Pid, Reply->waited_for) +
                   " is still in a handler of a disarmed function: try again later");
  if (Reply->result < 0)
    return failure("'" + Glob + "' could not be " + Done + ": " +
                   refusalText(-Reply->result));
  outs() << Done << ' ' << counted(Reply->result, "function") << ", "
         << counted(Reply->armed, "function") << " now\n";
  return Error::success();
}

static Error recordUnder(StringRef Glob, bool Also) {
  // Fail early if the process does not listen, before names are looked up.
  if (Error E = ControlSocket::connect(Pid).takeError())
    return E;
  LiveSelection Selection(Pid, Glob);
  auto Reply = request(Also ? PB_CONTROL_UNDER_TOO : PB_CONTROL_UNDER, Glob,
                       Selection.file());
  if (!Reply)
    return Reply.takeError();
  if (Reply->result == -ENOENT || Reply->result == 0)
    return makeError(NothingFound,
                     "process " + Twine(Pid) + ": no function whose exit can be traced "
                     "matches '" + Glob + "'" + Selection.hint());
  if (Reply->result == -ENOSYS)
    return failure("its runtime is older and does not support --under");
  if (Reply->result < 0)
    return failure("cannot apply --under '" + Glob +
                   "': " + refusalText(-Reply->result));
  outs() << "recording within calls of " << counted(Reply->roots, "function") << " now\n";
  return Error::success();
}

static Error recordEverywhere() {
  auto Reply = request(PB_CONTROL_UNDER);
  if (!Reply)
    return Reply.takeError();
  if (Reply->result)
    return failure("cannot undo --under: " +
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
    return failure("its tracer, " + Twine(pb_tracer_name(Reply->tracer)) +
                   ", records no durations: --threshold does not apply");
  case -EBUSY:
    return failure("it records causes of slow calls (--why), which --threshold would hide: "
                   "record it without --why");
  default:
    return failure("the threshold could not be set: " +
                   errnoText(-Reply->result));
  }
}

// Does the process record to Dir? Snapshots to this directory are refused, since a snapshot
// would rename the directory with the process's file.
static bool isRecordedTo(StringRef Dir, StringRef File) {
  SmallString<128> Path(sys::path::parent_path(File));
  sys::path::make_absolute("/proc/" + std::to_string(Pid) + "/cwd", Path);
  return sys::fs::equivalent(Dir, Path);
}

static Error takeSnapshot() {
  // Fail early if the process does not listen or record, before anything is renamed.
  Descriptor Data;
  auto Reply = request(PB_CONTROL_SNAPSHOT, "", -1, &Data);
  if (!Reply)
    return Reply.takeError();
  if (isRecordedTo(Snapshot, Reply->file))
    return makeError(Usage, "--snapshot: the process records to " +
                                Twine(Snapshot) + ": choose another directory");
  if (Reply->result == -ENODATA)
    return failure("cannot write a snapshot: the process has no file: it recorded "
                   "nothing, or cannot create files");
  if (Reply->result)
    return failure("cannot write a snapshot of " + printable(Reply->file) + ": " +
                   errnoText(-Reply->result));
  auto Dir = OutputDir::create(Snapshot);
  if (!Dir)
    return Dir.takeError();
  std::string Path = Dir->path() + "/" + std::to_string(Pid) + PBD_SUFFIX;
  if (Error E = copyData(Data, Path)) {
    Dir->undo();
    return failure("cannot write a snapshot: " + toString(std::move(E)));
  }
  outs() << "snapshot in " << printable(Snapshot) << '\n';
  return Error::success();
}

static Error showStatus() {
  auto Reply = request(PB_CONTROL_STATUS);
  if (!Reply)
    return Reply.takeError();
  outs() << "tracer     " << printable(pb_tracer_name(Reply->tracer)) << '\n'
         << "functions  " << Reply->armed << '\n'
         << "threshold  " << durationText(Reply->threshold_ns) << '\n';
  if (Reply->roots)
    outs() << "under      " << counted(Reply->roots, "function") << '\n';
  outs() << "recording  " << (Reply->recording ? "yes" : "no") << '\n'
         << "file       " << (*Reply->file ? printable(Reply->file) : "none yet")
         << '\n';
  return Error::success();
}

// Parses a whole number with one of Units, and multiplies the number by the unit.
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
  FlightOptions Flight;
  Flight.Pid = Pid;
  Flight.Folder = Watch;
  Flight.Keep = Keep;
  if (Watch.empty())
    return makeError(Usage, "--watch: the directory name is empty");
  if (Every.given()) {
    if (Every < 1000000 || Every / 1000000 > INT_MAX)
      return makeError(Usage,
                       "--every: '" + Every.Words.back() + "' is not between 1ms and 596h");
    Flight.Every = std::chrono::milliseconds(Every / 1000000);
  }
  if (Slower.given())
    Flight.Slower = durationWord(Slower);
  if (!MaxSize.empty() &&
      (!parseNumber(MaxSize,
                    {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}},
                    Flight.MaxBytes) ||
       !Flight.MaxBytes))
    return makeError(Usage, "--max-size: '" + MaxSize +
                                "' is not a size: use a whole number from 1, with K, M "
                                "or G");
  if (Keep.given() && !Keep)
    return makeError(Usage, "--keep: use a number from 1");
  return Flight;
}

static Error checkWatch() {
  for (const OptionRow *Row :
       std::initializer_list<const OptionRow *>{&Slower, &Every, &Keep, &MaxSize})
    if (Row->given() && !Watch.given())
      return makeError(Usage, Row->name() + " needs --watch DIR");
  return Error::success();
}

static Expected<int> runLive(ArrayRef<const char *>) {
  bool IsAlone = ProcessAlone.given();
  if (IsAlone == (Process.given() != 0))
    return makeError(Usage, IsAlone ? "two processes are named: use -p PID once"
                                    : "no process is named: use -p PID");
  const std::string &Text = IsAlone ? ProcessAlone : Process;
  if (!to_integer(Text, Pid, 10))
    return makeError(Usage, "'" + Text +
                                "' is not a process ID");
  if (Snapshot.given() && Snapshot.empty())
    return makeError(Usage, "--snapshot: the directory name is empty");
  if (Error E = checkWatch())
    return std::move(E);
  std::optional<FlightOptions> Flight;
  if (Watch.given())
    if (Error E = flightOptions().moveInto(Flight))
      return std::move(E);
  if (Everywhere && !Under.empty())
    return makeError(Usage, "--everywhere undoes --under: choose one");
  waitForRecorder();
  if (!List)
    if (Error E = checkListens())
      return std::move(E);
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
  if (Threshold.given())
    if (Error E = setThreshold(Threshold))
      return std::move(E);
  if (!Snapshot.empty())
    if (Error E = takeSnapshot())
      return std::move(E);
  if (Flight)
    return keepSnapshots(*Flight);
  if (List) {
    NameFilter Any({});
    return listLive(Pid, Any, nullptr, /*Json=*/false);
  }
  bool Asked = Everywhere || !Under.empty() || Disarm.given() || Arm.given() ||
               Threshold.given() || !Snapshot.empty();
  if (!Asked)
    if (Error E = showStatus())
      return std::move(E);
  return Success;
}

const Verb patchbay::LiveVerb = {Options, Help, runLive};
