// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit codes of the patchbay command, errors with an exit code, and functions that print errors.
// The help of each verb lists its exit codes.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

enum ExitCode : int {
  Success = 0,
  Failure = 1,
  Usage = 2,
  NothingFound = 3, // no records, or no function that matches

  // Errors of `patchbay record` itself, which otherwise exits with the program's status. env(1)
  // and timeout(1) use the same numbers.
  RecordFailed = 125,
  CannotExecute = 126,
  NotFound = 127,
};

class ToolError : public llvm::ErrorInfo<ToolError> {
public:
  static char ID;
  ToolError(ExitCode Code, const llvm::Twine &Message)
      : Code(Code), Message(Message.str()) {}
  ExitCode code() const { return Code; }
  void log(llvm::raw_ostream &OS) const override { OS << Message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  ExitCode Code;
  std::string Message;
};

inline llvm::Error makeError(ExitCode Code, const llvm::Twine &Message) {
  return llvm::make_error<ToolError>(Code, Message);
}
inline llvm::Error makeError(const llvm::Twine &Message) {
  return makeError(Failure, Message);
}

/// The error "process 4711: What".
llvm::Error processError(int Pid, const llvm::Twine &What);
/// The message of strerror(3).
std::string errnoText(int Errno);

/// A message about missing records, with possible causes.
std::string noRecords();

/// The text as one word for a shell, quoted if necessary.
std::string shellQuoted(llvm::StringRef Text);

/// Prints a line to stderr: "patchbay: warning: ...".
void warn(const llvm::Twine &Message);
/// Prints a line to stderr: "patchbay: error: ...". Returns the error's exit code.
ExitCode report(llvm::Error E);

} // namespace patchbay
