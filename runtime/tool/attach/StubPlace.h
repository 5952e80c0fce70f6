// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds space for the stub (Stub.h), and writes memory and code of the process through
// /proc/PID/mem, as a debugger does (proc(5)).
#pragma once

#include "Stub.h"
#include <map>

namespace patchbay {

class StubPlace {
public:
  /// Reserves space for a stub until this object is destroyed. Fails if no space is free.
  static llvm::Expected<StubPlace> find(const ProcessMemory &Memory,
                                        const LoadedModules &Modules);
  StubPlace(StubPlace &&Other);
  /// Restores the previous bytes, unless leave() was called.
  ~StubPlace();

  LoadedModule::Range range() const;
  uint64_t code() const { return Code; }
  uint64_t area() const { return Area; }
  /// An address for a way back to Pc; 0 if no free space is near enough.
  uint64_t wayBackTo(const ProcessMemory &Memory, const LoadedModules &Modules,
                     uint64_t Pc);

  /// Writes through the memory file of a stopped thread: with
  /// proc_mem.force_override=ptrace (since Linux 6.12), only a debugger may write code, and
  /// only through a stopped thread.
  bool writeCode(pid_t Thread, llvm::StringRef Bytes);
  bool writeWayBack(pid_t Thread, uint64_t Address, llvm::StringRef Bytes);
  llvm::Error cannotWriteCode() const;
  bool write(uint64_t Address, const void *Bytes, size_t Size);
  template <typename T> bool write(uint64_t Address, const T &Value) {
    return write(Address, &Value, sizeof(Value));
  }
  /// Keeps the stub in the process, since a thread may still execute it.
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
  Descriptor Memory, Lock;
  uint64_t Code = 0, Area = 0;
  std::string Before;
  std::map<uint64_t, std::string> WaysBefore; // the bytes that ways back have
                                              // overwritten
  bool IsWritten = false;
};

/// Has the borrowed thread left the stub? Returns false while the thread is in a signal
/// handler that returns to the stub.
bool hasLeft(const ProcessMemory &Memory, const LoadedModules &Modules,
             const LoadedModule::Range &Code, const StubUse &Use);

/// Have all threads left a stub that a killed command has written?
bool isLeftAlone(const ProcessMemory &Memory, const LoadedModules &Modules,
                 const LoadedModule::Range &Code, const StubUse &Use);

} // namespace patchbay
