// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection to a listening process: the command's side of the protocol in control.h.
#pragma once

#include "support/MappedFile.h"
#include "trace/format/control.h"
#include <chrono>
#include <functional>
#include <optional>

namespace patchbay {

class ProcessMemory;

/// Descriptors to send with a request, or -1.
struct ControlFiles {
  int Names = -1;
  int Program = -1;
};

class ControlSocket {
public:
  /// Connects, and reads the proof that this command may control the process. Fails if this
  /// command may not ptrace the process. A later packet of another sender is an error.
  static llvm::Expected<ControlSocket> connect(int Pid);
  /// Does a thread of the process listen? Fails if this command may not read the process's
  /// memory, or if the process has restricted itself.
  static llvm::Expected<bool> listens(int Pid);
  /// Did a thread of the process listen for commands that have ended?
  static bool isLeft(int Pid);

  /// Sends a request. Text must be shorter than PB_CONTROL_TEXT_MAX.
  llvm::Error send(pb_control_verb Verb, llvm::StringRef Text,
                   ControlFiles Files);

  /// Receives a reply. Calls Said with each line that the process sends before the reply.
  /// *File gets a received descriptor, or -1. Without a limit, waits as long as the process
  /// runs.
  llvm::Expected<pb_control_reply>
  receive(const std::function<void(llvm::StringRef)> &Said = nullptr,
          Descriptor *File = nullptr,
          std::optional<std::chrono::seconds> Limit = std::nullopt);

  /// Connects and requests the data file, as for a snapshot. The process also writes the time
  /// of its last event to the file.
  static llvm::Expected<pb_control_reply>
  askForFile(int Pid, Descriptor &File,
             std::optional<std::chrono::seconds> Limit = std::nullopt);

  /// The limit for requests that the process answers immediately.
  static constexpr std::chrono::seconds AtOnce{10};

  /// Receives a line of text. Returns false if the process has closed the connection.
  bool receiveText(std::string &Text);

  /// Tells the process that no more requests follow. Replies can still be received.
  void finish();

  int descriptor() const { return Socket; }
  /// The listening thread of the process.
  pid_t listener() const { return Listener; }

private:
  ControlSocket(int Pid, Descriptor Socket) : Pid(Pid), Socket(std::move(Socket)) {}
  llvm::Error checkSender(pid_t Sender);
  static llvm::Expected<ControlSocket> connectOnce(int Pid, bool &IsEnding);
  llvm::Error readProof(const ProcessMemory &Memory, uint64_t Point, bool &IsEnding);

  int Pid;
  Descriptor Socket;
  pid_t Listener = 0;
  uint8_t Proof[PB_CONTROL_PROOF] = {};
};

/// The error for a reply of -EUNATCH.
llvm::Error notRecorded(int Pid);

} // namespace patchbay
