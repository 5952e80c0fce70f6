// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadName.h"
#include "support/PlainText.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

namespace {
/// The contents of /proc/PID/task/TID/status (proc_pid_status(5)).
struct ThreadStatus {
  StringRef Name;
  uint64_t InnerNumber = 0; // in the innermost PID namespace of the thread
};
} // namespace

static ThreadStatus parseStatus(StringRef Text) {
  ThreadStatus Status;
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    auto [Key, Value] = Line.split(':');
    if (Key == "Name")
      Status.Name = Value.trim("\t");
    else if (Key == "NSpid")
      to_integer(Value.substr(Value.rfind('\t') + 1), Status.InnerNumber, 10);
  }
  return Status;
}

// Calls Found with the thread's folder in /proc and its status, if it exists.
static void findThread(
    int Pid, uint64_t Number,
    function_ref<void(const std::string &Folder, const ThreadStatus &)> Found) {
  std::error_code EC;
  for (sys::fs::directory_iterator
           I("/proc/" + std::to_string(Pid) + "/task", EC),
       End;
       !EC && I != End; I.increment(EC)) {
    auto File = MemoryBuffer::getFileAsStream(I->path() + "/status");
    if (!File)
      continue; // it has ended
    ThreadStatus Status = parseStatus((*File)->getBuffer());
    if (Status.InnerNumber == Number)
      return Found(I->path(), Status);
  }
}

std::string patchbay::threadText(int Pid, uint64_t Number) {
  if (!Number)
    return "a thread that is ending";
  std::string Text = "thread " + std::to_string(Number);
  findThread(Pid, Number,
             [&](const std::string &Folder, const ThreadStatus &Status) {
               Text = "thread " + sys::path::filename(Folder).str() + " (" +
                      printable(Status.Name) + ")";
             });
  return Text;
}

std::string patchbay::threadFolder(int Pid, uint64_t Number) {
  std::string Result = "/proc/" + std::to_string(Pid);
  findThread(Pid, Number,
             [&](const std::string &Folder, const ThreadStatus &) {
               Result = Folder;
             });
  return Result;
}
