// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that a process executes to load our library, and the memory that it
// shares with this command.
//
// Why it is as it is: this command may be killed at any moment, and then nobody
// stands by who could set things right. So all that happens in the process is done
// by this code, which was complete before the thread got to it, and the thread's
// registers are set once, to its first instruction:
//
//  - The code is written behind the end of a module's code, where the rest of the
//    last page is mapped, and used by nobody. Nothing is ever writable and
//    executable. Its constants have the values of all registers of the thread, which
//    it loads at the end, and the address where the thread was.
//  - It maps the area below (MAP_FIXED_NOREPLACE), and goes over to a stack in
//    there: so nothing below the thread's stack pointer is touched, of which the
//    program may use 128 bytes, and it does not matter how little stack it has.
//  - It blocks signals, but not those by which the C library has setuid(2) and
//    cancellation done, for which others wait with a lock, nor those that are errors
//    of an instruction.
//  - It saves vector registers and errno, has the C library make one thread, and
//    gives all of it back. Calls and returns are in pairs, so shadow stacks stay
//    right, and the last jump goes to where the thread was.
//
// All else is done by the new thread, which is like any other of the program's: it
// waits for locks as long as it takes, and nobody waits for it. It waits ten seconds
// for a word from this command, in vain if that was killed, and ends.
#ifndef PATCHBAY_TOOL_ATTACH_STUB_H
#define PATCHBAY_TOOL_ATTACH_STUB_H

#include "StubArea.h"

#include "LoadedModules.h"
#include "Registers.h"

namespace patchbay {

/// Where the C library has what the code calls.
struct StubFunctions {
  uint64_t CreateThread, Self, Detach, ErrnoLocation;
  uint64_t Open, Symbol, Error, Close;
};

/// Fails and names what is missing.
llvm::Expected<StubFunctions> findStubFunctions(const ProcessMemory &Memory,
                                                const LoadedModules &Modules);

/// How many bytes stubCode() has, and which is executed first.
size_t stubSize();
size_t stubEntry();

/// The last jump is made by a few instructions of their own where it takes a register
/// that has its value by then, and a branch by number does not reach everywhere: they
/// are near to where the thread was, and their size is not 0.
size_t wayBackSize();
bool reachesBack(uint64_t WayBack, uint64_t Pc);
std::string wayBackCode(uint64_t WayBack, const ThreadRegisters &Back);
/// Whether these bytes are such, of whomever.
bool isWayBack(llvm::StringRef Bytes);

/// Whether such code, or what another command has left of it, is in these bytes.
bool hasStub(llvm::StringRef Bytes);

/// What such code is for.
struct StubUse {
  uint64_t Area = 0;
  uint64_t Mark = 0;   // what it writes there, to show that it is this one
  uint64_t Thread = 0; // that is borrowed
  uint64_t WayBack = 0; // 0: it needs none
  ThreadRegisters Back = {}; // with which that goes on
};

std::string stubCode(const StubFunctions &Functions, const StubUse &Use);
/// The opposite, of code that was found. Of the registers those that tell where
/// the thread was.
StubUse readStub(llvm::StringRef Code);

/// Whether a thread is in that code, which is in Code.
inline bool isInStub(const LoadedModule::Range &Code, const StubUse &Use,
                     uint64_t Pc) {
  return Code.contains(Pc) || Pc - Use.WayBack < wayBackSize();
}

} // namespace patchbay
#endif
