// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stub: code that a process executes to load the runtime, and the memory (area) that the
// stub shares with this command.
//
// This command may be killed at any moment, and could then not repair the process. So the
// stub does all work in the process. This command writes the complete stub and then sets the
// thread's registers once, to the stub's first instruction:
//
//  - The stub is written to the unused rest of the last page of a module's code. No page is
//    ever both writable and executable. The stub contains the values of all registers of
//    the thread, including its program counter, and loads them at the end.
//  - The stub maps the area (MAP_FIXED_NOREPLACE) and switches to a stack in the area. So
//    the stub does not overwrite the red zone below the thread's stack pointer, and needs
//    no space on the thread's stack.
//  - The stub blocks signals, except for two kinds. Signals for errors of an instruction
//    cannot wait. The C library's signals for setuid(2) and cancellation must be delivered,
//    since the sending thread waits for them while it holds a lock.
//  - The stub saves vector registers and errno, calls pthread_create() once, and restores
//    the registers and errno. Calls and returns are paired, so shadow stacks stay valid. The
//    last jump goes to the thread's old program counter.
//
// The new thread does the rest. Like any thread of the program, the new thread waits for locks
// as long as necessary, and no thread waits for it. The new thread also waits for messages of
// this command. If the command is killed, the new thread ends ten seconds after the last
// heartbeat.
#pragma once

#include "StubArea.h"

#include "LoadedModules.h"
#include "Registers.h"

namespace patchbay {

/// Addresses of the C library's functions that the stub calls.
struct StubFunctions {
  uint64_t CreateThread, Self, Detach, ErrnoLocation;
  uint64_t Open, Symbol, Error, Close;
};

/// Fails with a message that names the missing function.
llvm::Expected<StubFunctions> findStubFunctions(const ProcessMemory &Memory,
                                                const LoadedModules &Modules);

/// The size of stubCode(), and the offset of its first instruction.
size_t stubSize();
size_t stubEntry();

/// A way back: instructions near the thread's old program counter that make the last jump.
/// AArch64 needs a way back, since a branch to any address needs a register, and the stub
/// must restore all registers before. The size is 0 on x86-64.
size_t wayBackSize();
bool reachesBack(uint64_t WayBack, uint64_t Pc);
std::string wayBackCode(uint64_t WayBack, const ThreadRegisters &Back);
/// Are these bytes a way back, written by any command?
bool isWayBack(llvm::StringRef Bytes);

/// Do these bytes contain a stub, or a part of a stub, written by any command?
bool hasStub(llvm::StringRef Bytes);

/// The parameters of a copy of the stub.
struct StubUse {
  uint64_t Area = 0;
  uint64_t Mark = 0;   // a random number that the stub writes to identify this copy
  uint64_t Thread = 0; // the borrowed thread
  uint64_t WayBack = 0; // address of the way back; 0: not needed
  ThreadRegisters Back = {}; // the registers with which the thread continues
};

std::string stubCode(const StubFunctions &Functions, const StubUse &Use);
/// Reads the parameters from a stub. Reads only the program counter and the stack pointer of
/// Back.
StubUse readStub(llvm::StringRef Code);

/// Is a thread with this program counter in the stub at Code, or in its way back?
inline bool isInStub(const LoadedModule::Range &Code, const StubUse &Use,
                     uint64_t Pc) {
  return Code.contains(Pc) || Pc - Use.WayBack < wayBackSize();
}

} // namespace patchbay
