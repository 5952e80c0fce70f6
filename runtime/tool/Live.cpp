// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay live`: asks a process that is being traced to trace something else.
#include "DataFile.h"
#include "ListLive.h"
#include "OutputDir.h"
#include "Table.h"
#include "Verb.h"
#include "control.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static cl::SubCommand LiveCommand("live",
                                  "Change what is traced in a running process");
static cl::opt<int> Pid(cl::Positional, cl::Required, cl::desc("PID"),
                        cl::sub(LiveCommand), cl::cat(ToolOptions));
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
  nor do children that only fork. GLOB matches mangled names, of functions in
  modules that are loaded.

  A snapshot is a recording: 'patchbay report DIR' shows it, and an earlier one in
  DIR is moved to DIR.old. Nothing is recorded in the moment in which it is taken.

EXAMPLES:
  patchbay record --live -p function_duration --overwrite -- ./server &
  patchbay live 4711
  patchbay live 4711 --threshold 1ms --disarm 'log_*'
  patchbay live 4711 --arm 'http_*' --list | grep ' armed '
  patchbay live 4711 --snapshot slow.data && patchbay report slow.data

EXIT CODES:
  0  success
  1  the process does not exist or does not listen, is another user's, or could
     not do what it was asked
  2  wrong usage
  3  no function that GLOB matches could be armed, or disarmed
)";

static Error failure(const Twine &What) {
  return makeError("process " + Twine(Pid) + ": " + What);
}

static std::string errnoText(int Errno) {
  return std::generic_category().message(Errno);
}

//===----------------------------------------------------------------------===//
// One request
//===----------------------------------------------------------------------===//

// Anybody may have taken the name.
static Error checkPeer(int Socket) {
  ucred Peer;
  socklen_t Size = sizeof(Peer);
  if (getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Peer, &Size))
    return failure("cannot tell who listens: " + errnoText(errno));
  if (Peer.pid != Pid)
    return failure("its socket is held by process " + Twine(Peer.pid) +
                   ", which is not trusted");
  if (Peer.uid != geteuid())
    return failure("it is of user " + Twine(Peer.uid) + " and listens to no " +
                   "other: run patchbay as that user");
  return Error::success();
}

static Expected<int> connectTo() {
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  std::string Name = PB_CONTROL_NAME + std::to_string(Pid);
  memcpy(Address.sun_path + 1, Name.data(), Name.size());
  socklen_t Length = offsetof(sockaddr_un, sun_path) + 1 + Name.size();

  int Socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (Socket < 0)
    return failure("cannot make a socket: " + errnoText(errno));
  auto Fail = [&](Error E) -> Expected<int> {
    close(Socket);
    return std::move(E);
  };
  if (connect(Socket, reinterpret_cast<sockaddr *>(&Address), Length)) {
    if (errno != ECONNREFUSED)
      return Fail(failure("cannot connect: " + errnoText(errno)));
    if (Pid <= 0 || (kill(Pid, 0) && errno == ESRCH))
      return Fail(failure("no such process"));
    return Fail(failure("it does not listen: start it with 'patchbay record "
                        "--live', or with live=1 in PATCHBAY"));
  }
  if (Error E = checkPeer(Socket))
    return Fail(std::move(E));
  return Socket;
}

// File: a descriptor to send along, or -1.
static Error sendRequest(int Socket, pb_control_verb Verb, StringRef Text,
                         int File) {
  pb_control_request Request = {};
  Request.version = PB_CONTROL_VERSION;
  Request.verb = Verb;
  memcpy(Request.text, Text.data(), Text.size());

  iovec Data = {&Request, sizeof(Request)};
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  msghdr Message = {};
  Message.msg_iov = &Data;
  Message.msg_iovlen = 1;
  if (File >= 0) {
    Message.msg_control = Control;
    Message.msg_controllen = sizeof(Control);
    cmsghdr *Header = CMSG_FIRSTHDR(&Message);
    Header->cmsg_level = SOL_SOCKET;
    Header->cmsg_type = SCM_RIGHTS;
    Header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(Header), &File, sizeof(int));
  }
  if (sendmsg(Socket, &Message, MSG_NOSIGNAL) < 0)
    return failure("cannot send: " + errnoText(errno));
  return Error::success();
}

static Expected<pb_control_reply> request(pb_control_verb Verb,
                                          StringRef Text = "", int File = -1) {
  if (Text.size() >= PB_CONTROL_TEXT_MAX)
    return makeError(Usage, "a pattern or time of " + Twine(Text.size()) +
                                " bytes: use fewer than " +
                                Twine(PB_CONTROL_TEXT_MAX));
  auto Socket = connectTo();
  if (!Socket)
    return Socket.takeError();
  scope_exit Close([&] { close(*Socket); });
  if (Error E = sendRequest(*Socket, Verb, Text, File))
    return std::move(E);
  pb_control_reply Reply = {};
  ssize_t Size = recv(*Socket, &Reply, sizeof(Reply), 0);
  if (Size >= ssize_t(sizeof(Reply.version)) &&
      Reply.version != PB_CONTROL_VERSION)
    return failure("it speaks version " + Twine(Reply.version) +
                   " of the protocol, this patchbay version " +
                   Twine(PB_CONTROL_VERSION) +
                   ": use the patchbay that it was started with");
  if (Size != sizeof(Reply))
    return failure("it ended before it answered");
  Reply.tracer[sizeof(Reply.tracer) - 1] = 0;
  Reply.file[sizeof(Reply.file) - 1] = 0;
  return Reply;
}

//===----------------------------------------------------------------------===//
// What can be asked for
//===----------------------------------------------------------------------===//

static std::string functions(uint64_t N) {
  return std::to_string(N) + (N == 1 ? " function" : " functions");
}

static Error change(pb_control_verb Verb, StringRef Done, StringRef Glob) {
  auto Reply = request(Verb, Glob);
  if (!Reply)
    return Reply.takeError();
  // Where functions without exits are skipped, none at all is no error.
  if (Reply->result == -ENOENT || Reply->result == 0)
    return makeError(
        NothingFound,
        "process " + Twine(Pid) + ": no function matches '" + Glob +
            "' that is " +
            (Verb == PB_CONTROL_ARM ? "not traced already" : "traced") +
            ": 'patchbay list --live " + Twine(Pid) +
            "' shows them, of C++ functions the mangled name "
            "counts");
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
    outs() << "threshold " << Reply->threshold_ns << " ns\n";
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
         << "threshold  " << Reply->threshold_ns << " ns\n"
         << "recording  " << (Reply->recording ? "yes" : "no") << '\n'
         << "file       " << printable(Reply->file) << '\n';
  return Error::success();
}

static Expected<int> runLive(ArrayRef<const char *>) {
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
