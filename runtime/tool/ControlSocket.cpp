// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ControlSocket.h"
#include "Diagnostics.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace patchbay;

ControlSocket::ControlSocket(ControlSocket &&Other)
    : Pid(Other.Pid), Socket(std::exchange(Other.Socket, -1)) {}

ControlSocket::~ControlSocket() {
  if (Socket >= 0)
    close(Socket);
}

Expected<ControlSocket> ControlSocket::connect(int Pid) {
  int Socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (Socket < 0)
    return processError(Pid, "cannot make a socket: " + errnoText(errno));
  ControlSocket Connection(Pid, Socket);
  if (Error E = Connection.connectToProcess())
    return std::move(E);
  if (Error E = Connection.checkPeer())
    return std::move(E);
  return std::move(Connection);
}

Error ControlSocket::connectToProcess() {
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  std::string Name = PB_CONTROL_NAME + std::to_string(Pid);
  memcpy(Address.sun_path + 1, Name.data(), Name.size());
  socklen_t Length = offsetof(sockaddr_un, sun_path) + 1 + Name.size();
  if (!::connect(Socket, reinterpret_cast<sockaddr *>(&Address), Length))
    return Error::success();
  if (errno != ECONNREFUSED)
    return processError(Pid, "cannot connect: " + errnoText(errno));
  if (Pid <= 0 || (kill(Pid, 0) && errno == ESRCH))
    return processError(Pid, "no such process");
  return processError(Pid, "it does not listen: start it with 'patchbay record "
                           "--live', or with live=1 in PATCHBAY");
}

// Anybody may have taken the name.
Error ControlSocket::checkPeer() {
  ucred Peer;
  socklen_t Size = sizeof(Peer);
  if (getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Peer, &Size))
    return processError(Pid, "cannot tell who listens: " + errnoText(errno));
  if (Peer.pid != Pid)
    return processError(Pid, "its socket is held by process " +
                                 Twine(Peer.pid) + ", which is not trusted");
  if (Peer.uid != geteuid())
    return processError(Pid, "it is of user " + Twine(Peer.uid) +
                                 " and listens to no other: run patchbay as "
                                 "that user");
  return Error::success();
}

Error ControlSocket::send(pb_control_verb Verb, StringRef Text, int File) {
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
    return processError(Pid, "cannot send: " + errnoText(errno));
  return Error::success();
}

Expected<pb_control_reply>
ControlSocket::receive(const std::function<void(StringRef)> &Said) {
  union {
    pb_control_reply Reply;
    char Text[sizeof(pb_control_reply)];
  } Packet = {};
  ssize_t Size;
  // What is said is shorter than any version of a reply.
  while ((Size = recv(Socket, &Packet, sizeof(Packet), 0)) > 0 &&
         Size <= PB_CONTROL_SAID_MAX && Said)
    Said(StringRef(Packet.Text, Size));
  const pb_control_reply &Reply = Packet.Reply;
  if (Size >= ssize_t(sizeof(Reply.version)) &&
      Reply.version != PB_CONTROL_VERSION)
    return processError(Pid,
                        "it speaks version " + Twine(Reply.version) +
                            " of the protocol, this patchbay version " +
                            Twine(PB_CONTROL_VERSION) +
                            ": use the patchbay that it was started with");
  if (Size != sizeof(Reply))
    return processError(Pid, "it ended before it answered");
  Packet.Reply.tracer[sizeof(Reply.tracer) - 1] = 0;
  Packet.Reply.file[sizeof(Reply.file) - 1] = 0;
  return Reply;
}

bool ControlSocket::receiveText(std::string &Text) {
  char Packet[PB_CONTROL_SAID_MAX];
  ssize_t Size = recv(Socket, Packet, sizeof(Packet), 0);
  Text.assign(Packet, Size > 0 ? Size : 0);
  return Size > 0;
}

void ControlSocket::finish() { shutdown(Socket, SHUT_WR); }
