// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a stopped thread may call pthread_create() where it is, as if
// the program itself did.
//
// It may not inside of the C library, the loader or the allocator: these hold locks, for
// which the thread would wait forever, and their lists may be half changed. In a process
// with one thread glibc takes no locks at all. The thread's stack proves that it is
// outside. The whole stack must be known (Unwinder.h), and consist of:
//
//    [C library: a system call]   the thread waits, or has just waited
//    program and its libraries    at least one frame, and nothing else
//    [C library: start]           __libc_start_main() or a thread's first function
//
// No other frame of the C library is permitted, which excludes callbacks of qsort() and
// dl_iterate_phdr(), constructors and atfork handlers. No frame of the loader or of an
// allocator is permitted. The unwinder does not know frames of signal handlers, so code
// that a handler has interrupted is never safe.
//
// Inside the C library only some system calls are accepted: those that it makes for the
// program, or for its resolver, timers and streams. During these it holds no lock of the
// allocator, of the loader or of the list of threads. futex(2), read(2) and write(2) may
// also wait for such a lock, or fill one in. They are accepted only if the program has
// called a known function. The frame tells which function. If that function has jumped to
// an unnamed one, as sem_wait() does, the program's call instruction tells it.
//
// Code without unwind tables, as in Go, must wait in one of these system calls and make
// it itself. Also, the thread's stack must contain no address of the C library's code,
// from the stack pointer up to the thread's start. On x86-64 this is a proof: a function
// of the C library that has called another function, and that will continue, has its
// return address on the stack. The lowest address of the C library's code is assumed to
// be a return address. If unwind tables lead from there to the thread's end through the
// C library alone, everything above it is the thread's start (start_thread()). So the C
// library has created the thread, and has no other frame on its stack. An address that an
// earlier call has left may be mistaken for a return address; then the thread is not
// accepted. Go runs C code on this same stack. Goroutines' small stacks are never
// accepted, since their mappings contain no thread's start. Go's thread sysmon calls no C
// code.
//
// Functions of streams are known functions while they read for the stream itself. Then
// read(2) was called by the stream's underflow function, or by its xsgetn(), which reads
// data beyond the buffer's size directly to fread(3)'s destination. They hold the
// stream's own lock, and none that pthread_create() or dlopen() takes. They have
// allocated their memory before, and have released the list of all streams. When they
// allocate (getline()) or flush other streams, they are not in the read(2) of these two.
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
  /// Reads each constant page only once. A thread is stopped for a shorter time if the
  /// tables that its stack needs were read before.
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
  // Pointer authentication codes are in bits that are the same in all addresses
  // of the process. The process's stack is in the upper half of its addresses.
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
  // Null: the page may change, so it is not kept.
  mutable std::map<uint64_t, std::unique_ptr<Page>> Pages;
};

class SafePoint {
public:
  /// Memory and Modules belong to the process whose threads are checked.
  SafePoint(const ProcessMemory &Memory, const LoadedModules &Modules);

  /// Reads the data that isAt() will need for a waiting thread, before that
  /// thread is stopped.
  void prepare(const ThreadPlace &Place) const;
  bool isAt(const ThreadRegisters &R) const;

  /// For a thread that is not at a safe point: the function of the C library that the
  /// program has called. Empty if it is not known.
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
  /// The program has its own allocator. Then only a waiting thread is known not
  /// to be allocating.
  bool ProgramAllocates;
};

} // namespace patchbay
