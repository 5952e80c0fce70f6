// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exit codes of the patchbay command, the error with an exit code, and the
// output of errors. The help of each verb lists the same codes.
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

enum ExitCode : int {
  Success = 0,
  Failure = 1,
  Usage = 2,
  NothingFound = 3, // no records, or no matching function

  // `patchbay record` exits with the status of the program that it runs. So its
  // own errors use the numbers of env(1) and timeout(1).
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

/// "process 4711: What"
llvm::Error processError(int Pid, const llvm::Twine &What);
/// The text of strerror(3).
std::string errnoText(int Errno);

/// The message for missing records, with possible causes.
std::string noRecords();

/// Text as a word that can be pasted into a shell.
std::string shellQuoted(llvm::StringRef Text);

/// One line on stderr, "patchbay: warning: ...".
void warn(const llvm::Twine &Message);
/// One line on stderr, "patchbay: error: ..."; returns the error's exit code.
ExitCode report(llvm::Error E);

} // namespace patchbay
