// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a stopped thread may call pthread_create() at its program counter, as if
// the program itself made the call.
//
// Inside the C library, the loader or the allocator, the call is unsafe: the thread may hold
// a lock and would wait for the same lock forever, and lists may be half changed. (With one
// thread, glibc takes no locks, but changes the same lists.) The stack proves that the thread
// is outside of this code. The whole stack must be known (Unwinder.h), and consist of:
//
//    [C library: a system call]   the thread waits, or has just waited
//    program and its libraries    at least one frame, and nothing else
//    [C library: start]           __libc_start_main() or a thread's first function
//
// No further frame of the C library is permitted, which excludes callbacks of qsort() and
// dl_iterate_phdr(), constructors and atfork handlers. No frame of the loader or of an
// allocator is permitted. The unwinder does not know frames of signal handlers, so code
// that a handler has interrupted is never safe.
//
// Inside the C library, only system calls are accepted during which the C library holds no
// lock of the allocator, of the loader or of the list of threads. The C library makes such
// calls for the program, and for its resolver, timers and streams. futex(2), read(2) and
// write(2) may also wait for such a lock or run while one is held. So these three are
// accepted only if the program has called a known function. The innermost frame names the
// function. If that function has jumped to an unnamed function, as sem_wait() does, the
// target of the program's call instruction is the known function.
//
// Code without unwind tables, such as Go code, must itself wait in one of these system
// calls. Also, the thread's stack must contain no address of the C library's code from the
// stack pointer up to the thread's start. On x86-64 this is a proof: a function of the C
// library that has called another function has its return address on the stack. The lowest
// address of the C library's code is assumed to be a return address. If unwind tables lead
// from there to the thread's end only through the C library, the stack above is the thread's
// start (start_thread()). So the C library has created the thread, and has no further frame
// on its stack. A stale address of an earlier call may look like a return address; the thread
// is then not accepted. Go runs C code on the same stack. Small stacks of goroutines are
// never accepted, since their mappings contain no thread's start. Go's thread sysmon calls
// no C code.
//
// Functions of streams are known functions while they read for the stream itself. The caller
// of read(2) is then the stream's underflow function or its xsgetn(). (xsgetn() reads data
// beyond the buffer's size directly to fread(3)'s destination.) Both hold the stream's lock,
// but no lock that pthread_create() or dlopen() takes. Both have allocated their memory
// before, and have released the list of all streams. Functions that allocate (getline()) or
// flush other streams do so outside of this read(2).
#pragma once

#include "LoadedModules.h"
#include "Registers.h"
#include "elf/Unwinder.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <map>
#include <memory>

namespace patchbay {

/// Reads stacks of stopped threads in a running process.
class ProcessStack : public UnwindSource {
public:
  ProcessStack(const ProcessMemory &Memory, const LoadedModules &Modules)
      : Memory(Memory), Modules(Modules) {}
  /// Keeps constant pages, so that a thread whose unwind tables were read before is stopped
  /// for a shorter time.
  bool read(uint64_t Address, void *Bytes, size_t Size) const override {
    if (const char *Known = page(Address, Size)) {
      memcpy(Bytes, Known, Size);
      return true;
    }
    return Memory.read(Address, Bytes, Size);
  }
  using UnwindSource::read;
  uint64_t frameHeader(uint64_t Code) const override {
    const LoadedModule *Module = Modules.at(Code);
    return Module ? Module->FrameHeader : 0;
  }
  // Replaces a pointer authentication code. The code is in bits that are equal in all
  // addresses of the process, so the bits of the highest mapping are used.
  uint64_t withoutSignature(uint64_t ReturnAddress) const override {
    const auto &All = Memory.mappings();
    return All.empty() ? ReturnAddress
                       : ReturnAddress & llvm::maskTrailingOnes<uint64_t>(
                                             llvm::Log2_64_Ceil(All.back().End));
  }

private:
  static constexpr uint64_t PageSize = LoadedModule::PageSize;
  using Page = std::array<char, PageSize>;

  const char *page(uint64_t Address, size_t Size) const {
    uint64_t Start = llvm::alignDown(Address, PageSize);
    if (Address - Start + Size > PageSize)
      return nullptr;
    auto [At, IsNew] = Pages.try_emplace(Start);
    if (IsNew && Modules.isConstant(Start)) {
      At->second = std::make_unique<Page>();
      if (!Memory.read(Start, At->second->data(), PageSize))
        At->second = nullptr;
    }
    return At->second ? At->second->data() + (Address - Start) : nullptr;
  }

  const ProcessMemory &Memory;
  const LoadedModules &Modules;
  // nullptr: the page is not constant.
  mutable std::map<uint64_t, std::unique_ptr<Page>> Pages;
};

class SafePoint {
public:
  /// Memory and Modules belong to the process whose threads are checked.
  SafePoint(const ProcessMemory &Memory, const LoadedModules &Modules);

  /// Reads the data that isAt() needs for a waiting thread, before the thread is stopped.
  void prepare(const ThreadPlace &Place) const;
  bool isAt(const ThreadRegisters &R) const;

  /// For a thread that is not at a safe point: the function of the C library that the
  /// program has called. Empty if unknown.
  std::string waitsIn(const ThreadRegisters &R) const;

  /// Is it worthwhile to stop a thread that is in this system call?
  static bool isLikely(int64_t SystemCall);

private:
  enum Roles { Program, CLibrary, Forbidden };
  Roles roleOf(uint64_t Code) const;

  /// A stack that is known from end to end.
  struct Known {
    std::vector<StackFrame> Frames;
    size_t InC = 0; // innermost frames, of the C library
  };
  std::optional<Known> known(const ThreadRegisters &R) const;
  bool isOnlyProgram(const ThreadRegisters &R) const;
  llvm::StringRef functionOf(const StackFrame &F) const;
  llvm::StringRef called(const Known &Stack) const;
  bool readsStream(llvm::StringRef Called, const Known &Stack) const;
  bool isReadingMuch(llvm::StringRef Called,
                     llvm::ArrayRef<StackFrame> Frames) const;

  const ProcessMemory &Memory;
  const LoadedModules &Modules;
  ProcessStack Stacks;
  std::map<const LoadedModule *, FunctionsByAddress> OfC;
  std::vector<const LoadedModule *> Never;
  /// Has the program its own allocator? Only a waiting thread is then known to be outside
  /// of the allocator.
  bool ProgramAllocates;
};

} // namespace patchbay
