// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay live`: asks a process that is being traced to trace something else.
#include "ControlSocket.h"
#include "DataFile.h"
#include "Durations.h"
#include "ListLive.h"
#include "LiveSelection.h"
#include "OutputDir.h"
#include "Table.h"
#include "Verb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
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
static cl::list<std::string>
    Arm("arm", cl::value_desc("GLOB"), cl::sub(LiveCommand),
        cl::cat(ToolOptions),
        cl::desc("Trace these functions as well; may be repeated"));
static cl::opt<std::string>
    Threshold("threshold", cl::value_desc("TIME"), cl::sub(LiveCommand),
              cl::cat(ToolOptions),
              cl::desc("Drop calls that take less; with ns, us, ms or s, and "
                       "us if there is no unit"));
static cl::opt<std::string>
    Snapshot("snapshot", cl::value_desc("DIR"), cl::sub(LiveCommand),
             cl::cat(ToolOptions),
             cl::desc("Write what is recorded by now to this directory"));

static constexpr char Help[] = R"(
  Without an option it shows how the process is traced. Several options are
  carried out in this order: --disarm, --arm, --threshold, --snapshot, --list.

  The process has to be started with 'patchbay record --live', or with live=1 in
  PATCHBAY, and by the same user; privileged programs (AT_SECURE) never listen,
  nor do children that only fork. GLOB matches names of functions in modules that
  are loaded, mangled or demangled, as -F of 'patchbay record'; 'patchbay list -p
  PID' shows them. Demangled names are looked up in the files that the process has
  mapped; where this command may not see which these are, a warning says so, and
  GLOB matches mangled names only.

  A snapshot is a recording: 'patchbay report DIR' shows it, and an earlier one in
  DIR is moved to DIR.old. Nothing is recorded in the moment in which it is taken.

EXAMPLES:
  patchbay record --live -p function_duration --overwrite -- ./server &
  patchbay live -p 4711
  patchbay live -p 4711 --threshold 1ms --disarm 'log_*'
  patchbay live -p 4711 --arm 'http_*' --list | grep ' armed '
  patchbay live -p 4711 --snapshot slow.data && patchbay report slow.data

EXIT CODES:
  0  success
  1  the process does not exist or does not listen, is another user's, or could
     not do what it was asked
  2  wrong usage
  3  no function that GLOB matches could be armed, or disarmed
)";

static Error failure(const Twine &What) { return processError(Pid, What); }

static Expected<pb_control_reply> request(pb_control_verb Verb,
                                          StringRef Text = "", int File = -1) {
  if (Text.size() >= PB_CONTROL_TEXT_MAX)
    return makeError(Usage, "a pattern or time of " + Twine(Text.size()) +
                                " bytes: use fewer than " +
                                Twine(PB_CONTROL_TEXT_MAX));
  auto Socket = ControlSocket::connect(Pid);
  if (!Socket)
    return Socket.takeError();
  if (Error E = Socket->send(Verb, Text, File))
    return std::move(E);
  return Socket->receive();
}

//===----------------------------------------------------------------------===//
// What can be asked for
//===----------------------------------------------------------------------===//

static std::string functions(uint64_t N) {
  return std::to_string(N) + (N == 1 ? " function" : " functions");
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
  if (Reply->result < 0)
    return failure("'" + Glob + "' could not be " + Done + ": " +
                   errnoText(-Reply->result));
  outs() << Done << ' ' << functions(Reply->result) << ", "
         << functions(Reply->armed) << " now\n";
  return Error::success();
}

static Error setThreshold() {
  auto Reply = request(PB_CONTROL_THRESHOLD, Threshold);
  if (!Reply)
    return Reply.takeError();
  switch (Reply->result) {
  case 0:
    outs() << "threshold " << durationText(Reply->threshold_ns) << '\n';
    return Error::success();
  case -EOPNOTSUPP:
    return failure("its tracer, " + Twine(Reply->tracer) +
                   ", records no durations, so there is no threshold");
  case -EINVAL:
  case -ERANGE:
    return makeError(Usage, "--threshold: '" + Threshold +
                                "' is not a whole number with one of the units "
                                "ns, us, ms, s");
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
  // Whether it listens at all, before anything is moved.
  auto Status = request(PB_CONTROL_STATUS);
  if (!Status)
    return Status.takeError();
  if (isRecordedTo(Snapshot, Status->file))
    return makeError(Usage, "--snapshot: the process records to " +
                                Twine(Snapshot) + ": choose another directory");
  auto Dir = OutputDir::create(Snapshot);
  if (!Dir)
    return Dir.takeError();
  std::string Path = Dir->path() + "/" + std::to_string(Pid) + PBD_SUFFIX;
  auto Fail = [&](const Twine &What) {
    Error E = failure(What);
    unlink(Path.c_str());
    Dir->undo();
    return E;
  };
  int File = open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (File < 0)
    return Fail("cannot create " + Path + ": " + errnoText(errno));
  auto Reply = request(PB_CONTROL_SNAPSHOT, "", File);
  close(File);
  if (!Reply) {
    unlink(Path.c_str());
    Dir->undo();
    return Reply.takeError();
  }
  if (Reply->result)
    return Fail("no snapshot of " + Twine(Reply->file) +
                " could be written: " + errnoText(-Reply->result));
  outs() << "snapshot in " << printable(Snapshot) << '\n';
  return Error::success();
}

static Error showStatus() {
  auto Reply = request(PB_CONTROL_STATUS);
  if (!Reply)
    return Reply.takeError();
  outs() << "tracer     " << printable(Reply->tracer) << '\n'
         << "functions  " << Reply->armed << '\n'
         << "threshold  " << durationText(Reply->threshold_ns) << '\n'
         << "recording  " << (Reply->recording ? "yes" : "no") << '\n'
         << "file       " << printable(Reply->file) << '\n';
  return Error::success();
}

static Expected<int> runLive(ArrayRef<const char *>) {
  bool IsAlone = ProcessAlone.getNumOccurrences();
  if (IsAlone == (Process.getNumOccurrences() != 0))
    return makeError(Usage, IsAlone ? "two processes are named: use -p PID once"
                                    : "no process is named: use -p PID");
  const std::string &Text = IsAlone ? ProcessAlone : Process;
  if (!to_integer(Text, Pid, 10))
    return makeError(Usage, "'" + Text + "' is no process ID: it is a number");
  if (Snapshot.getNumOccurrences() && Snapshot.empty())
    return makeError(Usage, "--snapshot needs a directory, its name is empty");
  for (const std::string &Glob : Disarm)
    if (Error E = change(PB_CONTROL_DISARM, "disarmed", Glob))
      return std::move(E);
  for (const std::string &Glob : Arm)
    if (Error E = change(PB_CONTROL_ARM, "armed", Glob))
      return std::move(E);
  if (Threshold.getNumOccurrences())
    if (Error E = setThreshold())
      return std::move(E);
  if (!Snapshot.empty())
    if (Error E = takeSnapshot())
      return std::move(E);
  if (List) {
    NameFilter Every({});
    return listLive(Pid, Every, /*Json=*/false);
  }
  bool Asked = Disarm.getNumOccurrences() || Arm.getNumOccurrences() ||
               Threshold.getNumOccurrences() || !Snapshot.empty();
  if (!Asked)
    if (Error E = showStatus())
      return std::move(E);
  return Success;
}

const Verb patchbay::LiveVerb = {LiveCommand, Help, runLive};
