// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BorrowedThread.h"
#include "ProcessStack.h"
#include "Tracee.h"
#include "live/ThreadStatus.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace patchbay;

// Does the condition hold for the registers of the thread? False if the thread
// cannot be read.
static bool holdsOnceStopped(pid_t Process, pid_t Thread,
                             function_ref<bool(const ThreadRegisters &)> Holds) {
  Tracee T(Process, Thread);
  auto State = T.stop();
  if (!State) {
    consumeError(State.takeError());
    return false;
  }
  if (*State == Tracee::State::Gone)
    return true;
  return *State == Tracee::State::Stopped && Holds(T.registers());
}

// A thread that waits outside of the code, at its old stack pointer, need not be stopped
// to be examined.
bool patchbay::hasLeft(const ProcessMemory &Memory, const LoadedModules &Modules,
                       const LoadedModule::Range &Code, const StubUse &Use) {
  auto Place = placeOf(Memory.pid(), Use.Thread);
  if (Place && !Place->IsRunning &&
      Place->StackPointer == stackPointer(Use.Back) &&
      !isInStub(Code, Use, Place->Pc))
    return true;
  return holdsOnceStopped(
      Memory.pid(), Use.Thread, [&](const ThreadRegisters &R) {
        Unwound Stack = unwindStack(ProcessStack(Memory, Modules), ThreadNumbers, toDwarf(R));
        return Stack.IsWhole && none_of(Stack.Frames, [&](const StackFrame &F) {
                 return isInStub(Code, Use, F.Pc);
               });
      });
}

// The new thread blocks all of the program's signals. So either its program counter is in
// the code, or it waits in a function that the code has called. The area shows that.
bool patchbay::isLeftAlone(const ProcessMemory &Memory,
                           const LoadedModules &Modules,
                           const LoadedModule::Range &Code,
                           const StubUse &Use) {
  uint64_t Mark;
  if (Memory.read(Use.Area + AREA_BEGUN, Mark) && Mark == Use.Mark) {
    uint32_t New = 0;
    Memory.read(Use.Area + AREA_NEW_TID, New);
    if (!New || hasThread(Memory.pid(), New))
      return false;
  }
  for (pid_t Thread : threadsOf(Memory.pid())) {
    auto Place = placeOf(Memory.pid(), Thread);
    auto IsOut = [&](const ThreadRegisters &R) {
      return !isInStub(Code, Use, programCounter(R));
    };
    if (Place && !Place->IsRunning ? isInStub(Code, Use, Place->Pc)
                                   : !holdsOnceStopped(Memory.pid(), Thread,
                                                       IsOut))
      return false;
  }
  return !ThreadStatus(Memory.pid(), Use.Thread).exists() ||
         hasLeft(Memory, Modules, Code, Use);
}
