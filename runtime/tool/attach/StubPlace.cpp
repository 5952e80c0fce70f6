// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StubPlace.h"
#include "SafePoint.h"
#include "Tracee.h"
#include "live/ProgressTime.h"
#include "live/ThreadStatus.h"
#include "support/Diagnostics.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>

using namespace llvm;
using namespace patchbay;

// The smallest page size of any machine.
static constexpr uint64_t PageSize = 4096;
// Distance from a module's code, so that processors do not prefetch the stub with it.
static constexpr uint64_t Distance = 64;
// Distance of a way back from the end of the last page.
static constexpr uint64_t BeforeEnd = 32;
// The largest page size of any machine.
static constexpr uint64_t LargestPage = 1 << 16;

// Reads the bytes of the mapped file for this address.
static bool readFile(const ProcessMemory &Memory,
                     const ProcessMemory::Mapping &M, uint64_t Address,
                     std::string &Bytes) {
  const Descriptor File = Memory.openFile(M);
  return File >= 0 && pread(File, Bytes.data(), Bytes.size(),
                            off_t(M.Offset + (Address - M.Start))) ==
                          ssize_t(Bytes.size());
}

// Reads the file's bytes where another command has left a way back.
bool StubPlace::readWayBefore(const ProcessMemory &Memory, uint64_t WayBack) {
  if (!WayBack)
    return true;
  const ProcessMemory::Mapping *M = Memory.mappingAt(WayBack);
  std::string Bytes(wayBackSize(), '\0');
  if (!M || !readFile(Memory, *M, WayBack, Bytes))
    return false;
  WaysBefore[WayBack] = Bytes;
  return true;
}

// Finds free space after the code of a permanent module, up to the end of the
// last page.
bool StubPlace::findSlack(const ProcessMemory &Memory,
                          const LoadedModules &Modules,
                          const LoadedModule &M) {
  if (!M.IsPermanent)
    return false;
  for (const LoadedModule::Range &Text : M.Text) {
    uint64_t Start = alignTo(Text.End, Distance);
    uint64_t End = alignTo(Text.End, PageSize);
    const ProcessMemory::Mapping *Mapping = Memory.mappingAt(Text.End - 1);
    uint64_t Kept = wayBackSize() ? BeforeEnd : 0;
    if (Start + stubSize() + Kept > End || !Mapping || !Mapping->Executable ||
        !Mapping->Readable || Mapping->End < End)
      continue;
    std::string Bytes(stubSize(), '\0'), Rest(End - Text.End, '\0');
    if (!Memory.read(Start, Bytes.data(), Bytes.size()) ||
        !Memory.read(Text.End, Rest.data(), Rest.size()))
      continue;
    Before = Bytes;
    // If a killed command has left a stub here, use the space only if no thread executes
    // that stub. Skip a stub of another version, whose layout is unknown.
    if (hasStub(Rest)) {
      if (!hasStub(Bytes))
        continue;
      StubUse Left = readStub(Bytes);
      if (!isLeftAlone(Memory, Modules, {Start, Start + stubSize()}, Left) ||
          !readFile(Memory, *Mapping, Start, Before) ||
          !readWayBefore(Memory, Left.WayBack))
        continue;
    }
    Code = Start;
    return true;
  }
  return false;
}

// The middle of the largest hole in the address space. Heap and stack do not grow that far,
// and the kernel uses the middle last for new mappings.
static uint64_t findHole(const ProcessMemory &Memory) {
  uint64_t Last = PageSize * 16, Best = 0, Size = 0;
  for (const ProcessMemory::Mapping &M : Memory.mappings()) {
    if (M.Start >= HighestAddress)
      break;
    if (M.Start > Last && M.Start - Last > Size) {
      Size = M.Start - Last;
      Best = Last;
    }
    Last = std::max(Last, M.End);
  }
  if (Size < 4 * uint64_t(AREA_SIZE))
    return 0;
  return alignDown(Best + Size / 2, LargestPage);
}

Expected<StubPlace> StubPlace::find(const ProcessMemory &Memory,
                                    const LoadedModules &Modules) {
  StubPlace Place;
  Place.Pid = Memory.pid();
  Place.Lock =
      open(Memory.proc("exe").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  // Wait up to a minute, since the command that holds the lock may be slow on a busy machine.
  for (unsigned Tries = 0; Place.Lock >= 0 && flock(Place.Lock, LOCK_EX | LOCK_NB);
       ++Tries) {
    if (errno != EWOULDBLOCK || Tries == 6000 || pendingEnd())
      return Memory.error("another patchbay is loading the runtime into a "
                          "process of the same program; try again");
    usleep(10000);
  }
  Place.Memory = open(Memory.proc("mem").c_str(), O_RDWR | O_CLOEXEC);
  if (Place.Memory < 0)
    return Memory.error("cannot write its memory: " +
                        std::generic_category().message(errno));
  for (const LoadedModule &M : Modules.all())
    if (Place.findSlack(Memory, Modules, M))
      break;
  Place.Area = findHole(Memory);
  if (!Place.Code || !Place.Area)
    return Memory.error("it has no space for the code that loads the runtime: the last "
                        "pages of its code are full");
  return std::move(Place);
}

StubPlace::StubPlace(StubPlace &&Other)
    : Pid(Other.Pid), Memory(std::move(Other.Memory)),
      Lock(std::move(Other.Lock)), Code(Other.Code), Area(Other.Area),
      Before(std::move(Other.Before)), WaysBefore(std::move(Other.WaysBefore)),
      IsWritten(std::exchange(Other.IsWritten, false)) {}

StubPlace::~StubPlace() {
  if (IsWritten && !Before.empty())
    putBack(Code, Before);
  if (IsWritten)
    for (const auto &[Address, Bytes] : WaysBefore)
      putBack(Address, Bytes);
}

LoadedModule::Range StubPlace::range() const {
  return {Code, Code + stubSize()};
}

bool StubPlace::writeBy(pid_t Thread, uint64_t Address, StringRef Bytes) {
  std::string Path = "/proc/" + std::to_string(Pid) + "/task/" +
                     std::to_string(Thread) + "/mem";
  const Descriptor Fd = open(Path.c_str(), O_RDWR | O_CLOEXEC);
  if (Fd < 0)
    return false;
  // Check that the process still executes the same program, since the bytes are for that
  // program's memory.
  char Byte;
  bool IsSame = pread(Memory, &Byte, sizeof(Byte),
                      static_cast<off_t>(Address)) == sizeof(Byte);
  bool Done = IsSame && pwrite(Fd, Bytes.data(), Bytes.size(),
                               static_cast<off_t>(Address)) ==
                            static_cast<ssize_t>(Bytes.size());
  return Done;
}

// Writes without stopping a thread, if the kernel permits that.
bool StubPlace::putBack(uint64_t Address, StringRef Bytes) {
  return write(Address, Bytes.data(), Bytes.size()) ||
         Tracee::seizeAny(Pid, [&](pid_t Thread) {
           return writeBy(Thread, Address, Bytes);
         });
}

bool StubPlace::writeCode(pid_t Thread, StringRef Bytes) {
  IsWritten = true;
  return writeBy(Thread, Code, Bytes);
}

bool StubPlace::writeWayBack(pid_t Thread, uint64_t Address, StringRef Bytes) {
  IsWritten = true;
  return writeBy(Thread, Address, Bytes);
}

Error StubPlace::cannotWriteCode() const {
  return processError(
      Pid, "its code cannot be written: the kernel does not allow it through "
           "/proc/PID/mem (proc_mem.force_override=never)");
}

// Finds space at the end of the last page of a permanent module, or of the module that
// contains Pc.
uint64_t StubPlace::wayBackTo(const ProcessMemory &Memory,
                              const LoadedModules &Modules, uint64_t Pc) {
  for (const LoadedModule &M : Modules.all()) {
    if (!M.IsPermanent && !M.containsCode(Pc))
      continue;
    for (const LoadedModule::Range &Text : M.Text) {
      uint64_t End = alignTo(Text.End, PageSize), At = End - BeforeEnd;
      const ProcessMemory::Mapping *Mapping = Memory.mappingAt(Text.End - 1);
      std::string Bytes(wayBackSize(), '\0');
      if (At < Text.End + Distance || !reachesBack(At, Pc) || !Mapping ||
          !Mapping->Executable || !Mapping->Readable || Mapping->End < End ||
          !Memory.read(At, Bytes.data(), Bytes.size()))
        continue;
      if (WaysBefore.count(At))
        return At;
      // Skip a way back of another command, since a thread may still execute it.
      if (isWayBack(Bytes))
        continue;
      WaysBefore[At] = Bytes;
      return At;
    }
  }
  return 0;
}

bool StubPlace::write(uint64_t Address, const void *Bytes, size_t Size) {
  return pwrite(Memory, Bytes, Size, static_cast<off_t>(Address)) ==
         static_cast<ssize_t>(Size);
}

// Does the condition hold for the registers of the thread? Returns true for an ended thread,
// and false if the registers cannot be read.
static bool holdsOnceStopped(pid_t Process, pid_t Thread,
                             function_ref<bool(const ThreadRegisters &)> Holds) {
  Tracee T(Process, Thread);
  auto State = expectedToOptional(T.stop());
  if (!State)
    return false;
  if (*State == Tracee::State::Gone)
    return true;
  return *State == Tracee::State::Stopped && Holds(T.registers());
}

// Does not stop a thread that waits outside of the stub at its old stack pointer: such a
// thread has left the stub.
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

// Reads from the area whether the new thread still exists. The borrowed thread needs
// hasLeft(), since it may be in a signal handler. For all remaining threads, the program
// counter suffices.
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
