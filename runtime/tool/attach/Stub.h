// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that a process executes to load our library, and the memory that it
// shares with this command.
//
// This command may be killed at any moment, and then nothing could repair the process. So
// this code does everything in the process. It is complete before the thread executes it,
// and this command sets the thread's registers once, to its first instruction:
//
//  - The code is written after the end of a module's code, to the rest of the
//    last page, which is mapped and unused. No page is ever writable and
//    executable. The code's constants are the values of all registers of the
//    thread, which it loads at the end, and the address where the thread was.
//  - It maps the area below (MAP_FIXED_NOREPLACE), and switches to a stack in
//    the area. So it writes nothing below the thread's stack pointer, where the
//    program may use 128 bytes, and the size of the thread's stack does not matter.
//  - It blocks signals, with two exceptions: those for errors of an instruction,
//    and those that the C library uses for setuid(2) and cancellation, because
//    other threads wait for them while they hold a lock.
//  - It saves vector registers and errno, makes the C library create one thread,
//    and restores all of it. Calls and returns are paired, so shadow stacks stay
//    valid, and the last jump goes to where the thread was.
//
// The new thread does the rest. It is like any other thread of the program: it waits for
// locks as long as necessary, and no thread waits for it. It waits for messages of this
// command. If the command is killed, it ends ten seconds after the last heartbeat.
#pragma once

#include "StubArea.h"

#include "LoadedModules.h"
#include "Registers.h"

namespace patchbay {

/// Addresses of the C library's functions that the code calls.
struct StubFunctions {
  uint64_t CreateThread, Self, Detach, ErrnoLocation;
  uint64_t Open, Symbol, Error, Close;
};

/// Fails with a message that names the missing part.
llvm::Expected<StubFunctions> findStubFunctions(const ProcessMemory &Memory,
                                                const LoadedModules &Modules);

/// The size of stubCode(), and the offset of its first instruction.
size_t stubSize();
size_t stubEntry();

/// A way back: instructions near the thread's place that make the last jump. Some
/// machines need it, because the jump uses a register whose value must be restored
/// before, and a direct branch does not reach every address. Its size is 0 on other
/// machines.
size_t wayBackSize();
bool reachesBack(uint64_t WayBack, uint64_t Pc);
std::string wayBackCode(uint64_t WayBack, const ThreadRegisters &Back);
/// Are these bytes a way back, written by any command?
bool isWayBack(llvm::StringRef Bytes);

/// Do these bytes contain such code, or a remainder of another command's?
bool hasStub(llvm::StringRef Bytes);

/// The parameters of a copy of this code.
struct StubUse {
  uint64_t Area = 0;
  uint64_t Mark = 0;   // the code writes it, which identifies this copy
  uint64_t Thread = 0; // the borrowed thread
  uint64_t WayBack = 0; // address of the way back; 0: not needed
  ThreadRegisters Back = {}; // the registers with which the thread continues
};

std::string stubCode(const StubFunctions &Functions, const StubUse &Use);
/// Reads the parameters from such code. Of Back, it reads only the registers that
/// tell where the thread was.
StubUse readStub(llvm::StringRef Code);

/// Is a thread in this code, which is at Code?
inline bool isInStub(const LoadedModule::Range &Code, const StubUse &Use,
                     uint64_t Pc) {
  return Code.contains(Pc) || Pc - Use.WayBack < wayBackSize();
}

} // namespace patchbay
