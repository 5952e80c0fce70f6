// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the code of Stub.h is put, and the memory of the process as one that may
// debug it writes it: code, too (proc(5), /proc/PID/mem).
#ifndef PATCHBAY_TOOL_ATTACH_STUBPLACE_H
#define PATCHBAY_TOOL_ATTACH_STUBPLACE_H

#include "LoadedModules.h"
#include <map>

namespace patchbay {

class StubPlace {
public:
  /// One place, and nobody else's until this object goes: two commands would write
  /// to the same. Fails if there is none.
  static llvm::Expected<StubPlace> find(const ProcessMemory &Memory,
                                        const LoadedModules &Modules);
  StubPlace(StubPlace &&Other);
  /// Puts back what was there, unless leave() was called.
  ~StubPlace();

  LoadedModule::Range range() const;
  uint64_t code() const { return Code; }
  uint64_t area() const { return Area; }
  /// Where instructions are put from which that place is reached; 0: there is no room.
  uint64_t wayBackTo(const ProcessMemory &Memory, const LoadedModules &Modules,
                     uint64_t Pc);

  /// By the memory of a thread that stands still: to code some kernels let
  /// debuggers write alone, and that of a thread of theirs
  /// (proc_mem.force_override=ptrace, since Linux 6.12).
  bool writeCode(pid_t Thread, llvm::StringRef Bytes);
  bool writeWayBack(pid_t Thread, uint64_t Address, llvm::StringRef Bytes);
  llvm::Error cannotWriteCode() const;
  bool write(uint64_t Address, const void *Bytes, size_t Size);
  template <typename T> bool write(uint64_t Address, const T &Value) {
    return write(Address, &Value, sizeof(Value));
  }
  /// A thread may still be in there, so it stays as it is.
  void leave() {
    Before.clear();
    WaysBefore.clear();
  }

private:
  StubPlace() = default;
  bool findSlack(const ProcessMemory &Memory, const LoadedModules &Modules,
                 const LoadedModule &M);
  bool readWayBefore(const ProcessMemory &Memory, uint64_t WayBack);
  bool writeBy(pid_t Thread, uint64_t Address, llvm::StringRef Bytes);
  bool putBack(uint64_t Address, llvm::StringRef Bytes);

  unsigned Pid = 0;
  int Memory = -1, Lock = -1;
  uint64_t Code = 0, Area = 0;
  std::string Before;
  std::map<uint64_t, std::string> WaysBefore; // what was at ways back
  bool IsWritten = false;
};

} // namespace patchbay

#endif
