// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool's side of control.h: a connection to a process that listens.
#ifndef PATCHBAY_TOOL_CONTROLSOCKET_H
#define PATCHBAY_TOOL_CONTROLSOCKET_H

#include "control.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <functional>
#include <optional>

namespace patchbay {

class ProcessMemory;

/// Descriptors to send along, or -1.
struct ControlFiles {
  int Names = -1;
  int Program = -1;
};

/// Closed when it is destroyed.
class ControlSocket {
public:
  /// Connects, and reads the proof that we may control the process: fails if we
  /// may not ptrace it. What comes by the connection is of this process, or an
  /// error.
  static llvm::Expected<ControlSocket> connect(int Pid);
  /// Whether anybody listens there. Fails if nobody may look, and if somebody listened
  /// until the process restricted itself.
  static llvm::Expected<bool> listens(int Pid);
  /// Whether somebody listened there for commands that have gone since.
  static bool isLeft(int Pid);
  ControlSocket(ControlSocket &&Other);
  ControlSocket &operator=(ControlSocket &&Other);
  ~ControlSocket();

  /// Text is shorter than PB_CONTROL_TEXT_MAX.
  llvm::Error send(pb_control_verb Verb, llvm::StringRef Text,
                   ControlFiles Files);

  /// Said is called with what the process has to say before it replies. *File is
  /// a descriptor that came along, which is the caller's, or -1. Without a limit it
  /// waits for as long as the process runs.
  llvm::Expected<pb_control_reply>
  receive(const std::function<void(llvm::StringRef)> &Said = nullptr,
          int *File = nullptr,
          std::optional<std::chrono::seconds> Limit = std::nullopt);

  /// For an answer that takes no time: what nobody has to wait longer for.
  static constexpr std::chrono::seconds AtOnce{10};

  /// What the process has to say; false if it has closed the connection.
  bool receiveText(std::string &Text);

  /// Nothing is asked for any more, what the process says is still received.
  void finish();

  int descriptor() const { return Socket; }
  /// The thread of the process that listens.
  pid_t listener() const { return Listener; }

private:
  ControlSocket(int Pid, int Socket) : Pid(Pid), Socket(Socket) {}
  llvm::Error checkSender(pid_t Sender);
  static llvm::Expected<ControlSocket> connectOnce(int Pid, bool &IsEnding);
  llvm::Error readProof(const ProcessMemory &Memory, uint64_t Point, bool &IsEnding);

  int Pid;
  int Socket;
  pid_t Listener = 0;
  uint8_t Proof[PB_CONTROL_PROOF] = {};
};

/// For a reply of -EUNATCH.
llvm::Error notRecorded(int Pid);

} // namespace patchbay

#endif
