// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ControlSocket.h"
#include "ProcessMemory.h"
#include "ProgressTime.h"
#include "ThreadStatus.h"
#include "patchbay/abi.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

using namespace llvm;
using namespace patchbay;
using namespace std::chrono_literals;

// Limits the time in which the process must accept the connection and send its greeting. Time
// in which its thread waits for a processor does not count.
static constexpr auto Patience = 5s;
// Interval between checks of the process during a wait.
static constexpr auto LookEvery = ProgressTime::MaxPause;

//===----------------------------------------------------------------------===//
// Packets with descriptors
//===----------------------------------------------------------------------===//

namespace {
/// Space for descriptors and for the sender's credentials, aligned like message
/// headers.
union ControlBuffer {
  cmsghdr Header;
  char Bytes[CMSG_SPACE(PB_CONTROL_FILES_MAX * sizeof(int)) +
             CMSG_SPACE(sizeof(ucred))];
};

/// The address of an abstract socket.
struct Address {
  sockaddr_un Bytes = {};
  socklen_t Size = 0;

  explicit Address(StringRef Name) {
    Bytes.sun_family = AF_UNIX;
    memcpy(Bytes.sun_path + 1, Name.data(), Name.size());
    Size = offsetof(sockaddr_un, sun_path) + 1 + Name.size();
  }
};
} // namespace

// To: nullptr for a connected Socket.
static ssize_t sendPacket(int Socket, void *Packet, size_t Size,
                          ArrayRef<int> Files, Address *To = nullptr) {
  iovec Data = {Packet, Size};
  ControlBuffer Control = {};
  msghdr Message = {};
  Message.msg_name = To ? &To->Bytes : nullptr;
  Message.msg_namelen = To ? To->Size : 0;
  Message.msg_iov = &Data;
  Message.msg_iovlen = 1;
  if (!Files.empty()) {
    size_t FilesSize = Files.size() * sizeof(int);
    Message.msg_control = &Control;
    Message.msg_controllen = CMSG_SPACE(FilesSize);
    Control.Header.cmsg_level = SOL_SOCKET;
    Control.Header.cmsg_type = SCM_RIGHTS;
    Control.Header.cmsg_len = CMSG_LEN(FilesSize);
    memcpy(CMSG_DATA(&Control.Header), Files.data(), FilesSize);
  }
  return sendmsg(Socket, &Message, MSG_NOSIGNAL);
}

// Receives a packet. *File gets a received descriptor; further descriptors are closed.
// *Sender gets the sending process, if the socket has SO_PASSCRED.
static ssize_t receivePacket(int Socket, void *Packet, size_t Size, Descriptor *File,
                             pid_t *Sender = nullptr) {
  iovec Data = {Packet, Size};
  ControlBuffer Control = {};
  msghdr Message = {};
  Message.msg_iov = &Data;
  Message.msg_iovlen = 1;
  Message.msg_control = &Control;
  Message.msg_controllen = sizeof(Control);
  ssize_t Received;
  do
    Received = recvmsg(Socket, &Message, MSG_CMSG_CLOEXEC);
  while (Received < 0 && errno == EINTR);
  if (Received < 0)
    return Received;
  for (cmsghdr *Header = CMSG_FIRSTHDR(&Message); Header;
       Header = CMSG_NXTHDR(&Message, Header)) {
    if (Header->cmsg_level != SOL_SOCKET)
      continue;
    if (Header->cmsg_type == SCM_CREDENTIALS && Sender) {
      ucred Credentials;
      memcpy(&Credentials, CMSG_DATA(Header), sizeof(Credentials));
      *Sender = Credentials.pid;
    }
    if (Header->cmsg_type != SCM_RIGHTS)
      continue;
    size_t Number = (Header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t I = 0; I != Number; ++I) {
      int Came;
      memcpy(&Came, CMSG_DATA(Header) + I * sizeof(int), sizeof(Came));
      Descriptor Owned = Came;
      if (File && *File < 0)
        *File = std::move(Owned);
    }
  }
  return Received;
}

//===----------------------------------------------------------------------===//
// The control point
//===----------------------------------------------------------------------===//

static Error doesNotListen(int Pid) {
  return processError(Pid, "it does not listen: start it with 'patchbay record "
                           "--live', or with live=1 in PATCHBAY");
}

// The error for a process that has ended its listening thread: see control.h.
static Error listensNoMore(int Pid) {
  return processError(Pid, "it no longer listens: it has restricted its "
                           "system calls (seccomp) or files (Landlock)");
}

static Error wasLeft(int Pid) {
  return processError(
      Pid, "it no longer listens: the commands that loaded the runtime have ended; record it "
           "again with 'patchbay record -p " +
               Twine(Pid) + "'");
}

static Error doesNotAnswer(int Pid) {
  return processError(Pid, "it does not answer: its thread is busy, or a debugger has stopped it; "
                           "try again");
}

// Listener: the thread's ID in the process's PID namespace.
static ProgressTime timeOf(int Pid, uint32_t Listener) {
  return ProgressTime(Pid, [=] { return threadFolder(Pid, Listener); });
}

// Waits for data up to the limit. Without a limit, waits as long as the process runs, but
// fails if the process is stopped, since a stop may last for hours.
static Error await(int Pid, uint32_t Listener, int Socket,
                   std::optional<std::chrono::seconds> Limit) {
  ProgressTime Time = timeOf(Pid, Listener);
  const int Ms = std::chrono::milliseconds(LookEvery).count();
  pollfd Fd = {Socket, POLLIN, 0};
  Stillness Still(Pid);
  while (!Limit || Time.soFar() < *Limit) {
    int Ready = poll(&Fd, 1, Ms);
    if (Ready > 0)
      return Error::success();
    // Otherwise a signal has interrupted poll(): try again.
    if (!Ready)
      if (std::string Why = Still.why(); !Why.empty())
        return processError(Pid, Why);
  }
  return doesNotAnswer(Pid);
}

// Returns false for a process that has ended or is ending.
static bool hasMemory(int Pid) {
  auto Memory = ProcessMemory::open(Pid);
  bool Has = Memory && !Memory->mappings().empty();
  consumeError(Memory.takeError());
  return Has;
}

static Error endedBefore(int Pid) {
  return processError(Pid, !hasMemory(Pid)
                               ? "it ended before it answered"
                               : "it stopped listening before it answered: the command that "
                                 "loaded the runtime has just ended; try again");
}

static Error speaksVersion(int Pid, uint32_t Version) {
  return processError(Pid, "it speaks version " + Twine(Version) +
                               " of the protocol, this patchbay version " +
                               Twine(PB_CONTROL_VERSION) +
                               ": use the patchbay that it was started with");
}

// Finds and reads the process's struct pb_control_point. Returns 0 if no thread listens;
// Point.ended then tells whether a thread has listened before.
static Expected<uint64_t> findPoint(const ProcessMemory &Memory, int Pid,
                                    pb_control_point &Point) {
  uint64_t Found = 0;
  uint32_t Ended = 0;
  auto Look = [&](const MappedImage &Image, uint64_t Descriptor) -> Error {
    pb_control_note Note;
    pb_control_point Read;
    uint64_t Address;
    if (!Memory.read(Descriptor, Note))
      return Error::success();
    if (Note.version != PB_CONTROL_VERSION)
      return speaksVersion(Pid, Note.version);
    uint64_t Pointer =
        Descriptor + offsetof(pb_control_note, point) + int64_t(Note.point);
    // A library that is loaded twice has only one listening thread.
    if (!Image.contains(Pointer) || !Memory.read(Pointer, Address) || !Address ||
        !Memory.read(Address, Read))
      return Error::success();
    if (Read.version != PB_CONTROL_VERSION) {
      if (!Read.version && Read.ended)
        Ended = Read.ended;
      return Error::success();
    }
    Found = Address;
    Point = Read;
    return Error::success();
  };
  if (Error E = forEachMappedNote(Memory, PATCHBAY_NOTE_CONTROL,
                                  sizeof(pb_control_note), Look))
    return std::move(E);
  if (!Found && Ended == PB_CONTROL_RESTRICTED)
    return listensNoMore(Pid);
  if (!Found)
    Point.ended = Ended;
  Point.name[sizeof(Point.name) - 1] = 0;
  return Found;
}

//===----------------------------------------------------------------------===//
// Connecting
//===----------------------------------------------------------------------===//

static Descriptor openNamespace(const Twine &Folder, const Twine &Kind) {
  return open((Folder + "/ns/" + Kind).str().c_str(), O_RDONLY | O_CLOEXEC);
}

static bool isSameFile(int A, int B) {
  struct stat StatusA, StatusB;
  return !fstat(A, &StatusA) && !fstat(B, &StatusB) &&
         StatusA.st_dev == StatusB.st_dev && StatusA.st_ino == StatusB.st_ino;
}

// Receives a packet with one descriptor. Returns -1 for a packet without a descriptor.
static Descriptor receiveDescriptor(int Socket) {
  char Byte;
  Descriptor File;
  receivePacket(Socket, &Byte, sizeof(Byte), &File);
  return File;
}

// Creates a socket in the given namespaces and sends it to To. Returns an errno. In a
// rootless container, the owner of the user namespace must first enter it to have all
// capabilities (user_namespaces(7)).
static int sendSocketFrom(int User, int Net, int To) {
  if (setns(Net, CLONE_NEWNET)) {
    int Errno = errno;
    if (setns(User, CLONE_NEWUSER) || setns(Net, CLONE_NEWNET))
      return Errno;
  }
  int Socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (Socket < 0)
    return errno;
  char Byte = 0;
  return sendPacket(To, &Byte, sizeof(Byte), Socket) < 0 ? errno : 0;
}

// Creates a socket in a forked child, since a process cannot leave a user namespace again.
static Expected<Descriptor> makeSocketIn(int Pid, int User, int Net) {
  int Pair[2], Status = 0;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Pair))
    return processError(Pid, "cannot make a socket: " + errnoText(errno));
  pid_t Child = fork();
  if (!Child)
    _exit(sendSocketFrom(User, Net, Pair[1]));
  int Errno = errno;
  close(Pair[1]);
  const Descriptor Ours = Pair[0];
  Descriptor Socket = Child < 0 ? Descriptor() : receiveDescriptor(Ours);
  if (Child > 0 && waitpid(Child, &Status, 0) == Child && WIFEXITED(Status))
    Errno = WEXITSTATUS(Status);
  if (Socket < 0)
    return processError(Pid, "cannot enter its network namespace: " +
                                 errnoText(Errno) +
                                 ": this needs CAP_SYS_ADMIN there (setns(2))");
  return std::move(Socket);
}

// Creates a socket in the network namespace of Thread, the listening thread: an abstract name
// is visible only in its network namespace (network_namespaces(7)). The process's other
// threads may be in another namespace (unshare(2)).
static Expected<Descriptor> makeSocket(int Pid, uint32_t Thread) {
  std::string Folder = threadFolder(Pid, Thread);
  const Descriptor Ours = openNamespace("/proc/thread-self", "net");
  const Descriptor Net = openNamespace(Folder, "net");
  const Descriptor User = openNamespace(Folder, "user");
  if (Ours >= 0 && Net >= 0 && !isSameFile(Ours, Net))
    return makeSocketIn(Pid, User, Net);
  Descriptor Socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (Socket < 0)
    return processError(Pid, "cannot make a socket: " + errnoText(errno));
  return std::move(Socket);
}

// Sends Connection, one end of a pair, to the process. Sets IsEnding if the listening
// thread existed and has ended.
static Error knock(int Pid, pb_control_point &Point, int Connection, bool &IsEnding) {
  auto Socket = makeSocket(Pid, Point.thread);
  if (!Socket)
    return Socket.takeError();
  Address Gate(Point.name);
  // Limit each wait, to check whether the process is stopped: a stopped process does not
  // empty its queue, which may be full.
  timeval Look = {0, std::chrono::microseconds(LookEvery).count()};
  setsockopt(*Socket, SOL_SOCKET, SO_SNDTIMEO, &Look, sizeof(Look));
  ProgressTime Time = timeOf(Pid, Point.thread);
  Stillness Still(Pid);
  do {
    if (sendPacket(*Socket, Point.knock, sizeof(Point.knock), Connection,
                   &Gate) >= 0)
      return Error::success();
    if (errno == EINTR)
      continue;
    if (errno == ECONNREFUSED) {
      IsEnding = true;
      return doesNotListen(Pid);
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK)
      return processError(Pid, "cannot connect: " + errnoText(errno));
    if (std::string Why = Still.why(); !Why.empty())
      return processError(Pid, Why);
  } while (Time.soFar() < Patience);
  return doesNotAnswer(Pid);
}

namespace {
struct FoundPoint {
  ProcessMemory Memory;
  pb_control_point Point = {};
  uint64_t Address = 0; // 0: no thread listens
  bool isLeft() const { return !Address && Point.ended == PB_CONTROL_LEFT; }
};
} // namespace

// Finds the control point. The kernel checks this command's permissions when it opens the
// memory.
static Expected<FoundPoint> pointOf(int Pid) {
  auto Memory = ProcessMemory::open(Pid);
  if (!Memory)
    return Memory.takeError();
  FoundPoint Found{std::move(*Memory)};
  if (Error E = findPoint(Found.Memory, Pid, Found.Point).moveInto(Found.Address))
    return std::move(E);
  return std::move(Found);
}

Expected<bool> ControlSocket::listens(int Pid) {
  auto Found = pointOf(Pid);
  if (!Found)
    return Found.takeError();
  return Found->Address != 0;
}

bool ControlSocket::isLeft(int Pid) {
  auto Found = pointOf(Pid);
  if (Found)
    return Found->isLeft();
  consumeError(Found.takeError());
  return false;
}

// Tries several times: the listening thread ends with the last command that needs it, for
// example when that command is killed. So the thread may end just after it was found, and a
// new listening thread may have been created.
Expected<ControlSocket> ControlSocket::connect(int Pid) {
  constexpr unsigned Tries = 400, PauseUs = 5000;
  for (unsigned Try = 1;; ++Try) {
    bool IsEnding = false;
    auto Connection = connectOnce(Pid, IsEnding);
    if (Connection || !IsEnding || Try == Tries || !hasMemory(Pid))
      return Connection;
    consumeError(Connection.takeError());
    usleep(PauseUs);
  }
}

Expected<ControlSocket> ControlSocket::connectOnce(int Pid, bool &IsEnding) {
  auto Found = pointOf(Pid);
  if (!Found)
    return Found.takeError();
  if (!Found->Address)
    return Found->isLeft() ? wasLeft(Pid) : doesNotListen(Pid);
  int Pair[2], On = 1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Pair))
    return processError(Pid, "cannot make a socket: " + errnoText(errno));
  ControlSocket Connection(Pid, Pair[0]);
  Connection.Listener = Found->Point.thread;
  Descriptor Other = Pair[1];
  if (setsockopt(Pair[0], SOL_SOCKET, SO_PASSCRED, &On, sizeof(On)))
    return processError(Pid, "cannot identify the listener: " + errnoText(errno));
  if (Error E = knock(Pid, Found->Point, Other, IsEnding))
    return std::move(E);
  // Close this command's copy of Pair[1], so that Pair[0] reports the end of the connection
  // if the process never accepts it.
  Other = {};
  if (Error E = Connection.readProof(Found->Memory, Found->Address, IsEnding))
    return std::move(E);
  return std::move(Connection);
}

// Fails unless the packet is from the process. The kernel identifies the sender of each
// packet. After the process's end, another process could listen on the same name.
Error ControlSocket::checkSender(pid_t Sender) {
  if (Sender == Pid)
    return Error::success();
  return processError(Pid, "its socket is held by process " + Twine(Sender) +
                               ", which is not trusted");
}

Error ControlSocket::readProof(const ProcessMemory &Memory, uint64_t Point,
                               bool &IsEnding) {
  pb_control_greeting Greeting;
  pid_t Sender = 0;
  if (Error E = await(Pid, Listener, Socket, Patience))
    return E;
  ssize_t Size =
      receivePacket(Socket, &Greeting, sizeof(Greeting), nullptr, &Sender);
  if (Size > 0)
    if (Error E = checkSender(Sender))
      return E;
  if (Size >= ssize_t(sizeof(Greeting.version)) &&
      Greeting.version != PB_CONTROL_VERSION)
    return speaksVersion(Pid, Greeting.version);
  if (Size <= 0) {
    IsEnding = true;
    return endedBefore(Pid);
  }
  if (Size != sizeof(Greeting) || Greeting.place >= PB_CONTROL_PLACES)
    return processError(Pid, "unexpected reply: the listener is not libpatchbay");
  uint64_t Place = Point + offsetof(pb_control_point, proof) +
                   uint64_t(Greeting.place) * PB_CONTROL_PROOF;
  if (!Memory.read(Place, Proof, sizeof(Proof)))
    return processError(Pid, "its memory is gone: it ended, or executed another "
                             "program");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Requests and replies
//===----------------------------------------------------------------------===//

Error ControlSocket::send(pb_control_verb Verb, StringRef Text,
                          ControlFiles Files) {
  pb_control_request Request = {};
  Request.version = PB_CONTROL_VERSION;
  Request.verb = Verb;
  memcpy(Request.proof, Proof, sizeof(Proof));
  memcpy(Request.text, Text.data(), Text.size());

  SmallVector<int, PB_CONTROL_FILES_MAX> Sent;
  auto Add = [&](int File, pb_control_file Bit) {
    if (File < 0)
      return;
    Sent.push_back(File);
    Request.files |= Bit;
  };
  Add(Files.Names, PB_CONTROL_NAMES);
  Add(Files.Program, PB_CONTROL_PROGRAM);
  if (sendPacket(Socket, &Request, sizeof(Request), Sent) < 0)
    return errno == EPIPE ? endedBefore(Pid)
                          : processError(Pid, "cannot send: " + errnoText(errno));
  return Error::success();
}

Expected<pb_control_reply>
ControlSocket::receive(const std::function<void(StringRef)> &Said, Descriptor *File,
                       std::optional<std::chrono::seconds> Limit) {
  union {
    pb_control_reply Reply;
    char Text[sizeof(pb_control_reply)];
  } Packet = {};
  ssize_t Size;
  if (File)
    *File = {};
  // Receive lines of text until the reply. A line is shorter than a reply of any version.
  for (;;) {
    pid_t Sender = 0;
    if (Error E = await(Pid, Listener, Socket, Limit))
      return std::move(E);
    Size = receivePacket(Socket, &Packet, sizeof(Packet), File, &Sender);
    if (Size > 0)
      if (Error E = checkSender(Sender))
        return std::move(E);
    if (Size <= 0 || Size > PB_CONTROL_SAID_MAX || !Said)
      break;
    Said(StringRef(Packet.Text, Size));
  }
  if (Size != sizeof(Packet.Reply) ||
      Packet.Reply.version != PB_CONTROL_VERSION)
    return endedBefore(Pid);
  // The process has executed another program since the proof was read from its memory.
  if (Packet.Reply.result == -EKEYREJECTED)
    return processError(Pid, "it does not accept this command's proof of permission");
  Packet.Reply.tracer[sizeof(Packet.Reply.tracer) - 1] = 0;
  Packet.Reply.file[sizeof(Packet.Reply.file) - 1] = 0;
  return Packet.Reply;
}

Expected<pb_control_reply>
ControlSocket::askForFile(int Pid, Descriptor &File,
                          std::optional<std::chrono::seconds> Limit) {
  auto Socket = connect(Pid);
  if (!Socket)
    return Socket.takeError();
  if (Error E = Socket->send(PB_CONTROL_SNAPSHOT, "", {}))
    return std::move(E);
  return Socket->receive(nullptr, &File, Limit);
}

bool ControlSocket::receiveText(std::string &Text) {
  char Packet[PB_CONTROL_SAID_MAX];
  pid_t Sender = 0;
  ssize_t Size =
      receivePacket(Socket, Packet, sizeof(Packet), nullptr, &Sender);
  bool IsOurs = Size > 0 && Sender == Pid;
  Text.assign(Packet, IsOurs ? Size : 0);
  return IsOurs;
}

void ControlSocket::finish() { shutdown(Socket, SHUT_WR); }

Error patchbay::notRecorded(int Pid) {
  return processError(Pid, "it is not recorded; only programs are attached to it: record it "
                           "with `patchbay record -p " +
                               Twine(Pid) + "`");
}
