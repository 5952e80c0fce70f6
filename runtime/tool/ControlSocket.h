// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool's side of control.h: a connection to a process that listens.
#ifndef PATCHBAY_TOOL_CONTROLSOCKET_H
#define PATCHBAY_TOOL_CONTROLSOCKET_H

#include "control.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace patchbay {

/// Closed when it is destroyed.
class ControlSocket {
public:
  /// Also makes sure that it is the process who listens, and of this user.
  static llvm::Expected<ControlSocket> connect(int Pid);
  ControlSocket(ControlSocket &&Other);
  ~ControlSocket();

  /// Text is shorter than PB_CONTROL_TEXT_MAX. File: a descriptor to send
  /// along, or -1.
  llvm::Error send(pb_control_verb Verb, llvm::StringRef Text, int File = -1);

  /// Said is called with what the process has to say before it replies.
  llvm::Expected<pb_control_reply>
  receive(const std::function<void(llvm::StringRef)> &Said = nullptr);

  /// What the process has to say; false if it has closed the connection.
  bool receiveText(std::string &Text);

  /// Nothing is asked for any more, what the process says is still received.
  void finish();

  int descriptor() const { return Socket; }

private:
  ControlSocket(int Pid, int Socket) : Pid(Pid), Socket(Socket) {}
  llvm::Error connectToProcess();
  llvm::Error checkPeer();

  int Pid;
  int Socket;
};

} // namespace patchbay

#endif
