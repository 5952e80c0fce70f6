// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Injection.h"
#include "SafePoint.h"
#include "StubPlace.h"
#include "Tracee.h"
#include "live/ProgressTime.h"
#include "live/ThreadStatus.h"
#include "support/Diagnostics.h"
#include "trace/system/moment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <random>
#include <sys/prctl.h>
#include <thread>

using namespace llvm;
using namespace patchbay;
using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

// Time limits, not counting waits for a processor. UntilSafe: until a thread can be
// borrowed. UntilDone: until the borrowed and the new thread have executed a few
// instructions. UntilLoaded: until the new thread runs again while it loads the runtime.
// UntilLoadedAtMost: until the runtime is loaded and started.
static constexpr auto UntilSafe = 5s, UntilDone = 10s, UntilLoaded = 10s,
                      UntilLoadedAtMost = 60s;

namespace {

class Injector {
public:
  Injector(ProcessMemory &Memory, const LoadedModules &Modules,
           const StubFunctions &Functions, StubPlace &Place)
      : Memory(Memory), Modules(Modules), Functions(Functions), Place(Place),
        Safe(Memory, Modules), Pid(Memory.pid()) {
    std::random_device Random;
    Use.Area = Place.area();
    Use.Mark = uint64_t(Random()) << 32 | Random() | 1;
  }

  Error borrowThread();
  Error awaitThread();
  std::string awaitLoaded();
  Expected<InjectionResult> load(const Injection &What);

private:
  enum class Look { Borrowed, NotNow, Halted };
  Expected<Look> lookAt(pid_t Thread);
  Expected<Look> lookAtOneOf(ArrayRef<pid_t> Threads, Clock::time_point End);
  bool hasLeft() const {
    return patchbay::hasLeft(Memory, Modules, Place.range(), Use);
  }
  // Has the process ended or executed another program? The memory descriptor, opened at the
  // start, can then not be read.
  bool isGone() const {
    char Byte;
    return !Memory.read(Place.code(), Byte);
  }
  Error gone() {
    Place.leave();
    return Memory.error("it ended or executed another program before the runtime was "
                        "loaded; try again");
  }
  bool hasStack(const ThreadRegisters &R) const {
    const auto *Stack = Memory.mappingAt(stackPointer(R) - 1);
    return !stackNeeded(R) ||
           (Stack && stackPointer(R) - Stack->Start > 2 * stackNeeded(R));
  }
  bool isWhereItWas(pid_t Thread) const;
  std::string folderOf(pid_t Thread) const;
  ProgressTime timeOf(pid_t Thread) const;
  ProgressTime timeOfNew() const;
  void measure();
  Expected<std::vector<std::string>> fillFiles(ArrayRef<std::string> Paths);
  Error end(Error E);
  uint32_t word(uint64_t Offset) const {
    uint32_t Value = 0;
    Memory.read(Place.area() + Offset, Value);
    return Value;
  }
  bool isMarked(uint64_t Offset) const {
    uint64_t Value;
    return Memory.read(Place.area() + Offset, Value) && Value == Use.Mark;
  }
  // Sends a heartbeat, so that the new thread continues to wait (Stub.h).
  void showLife() {
    if (isMarked(AREA_BEGUN) && word(AREA_NEW_TID))
      Place.write(Place.area() + AREA_PAUSES, uint32_t(1000));
  }
  void tell(uint64_t Offset) {
    Place.write(Place.area() + Offset, uint32_t(1));
  }

  ProcessMemory &Memory;
  const LoadedModules &Modules;
  const StubFunctions &Functions;
  StubPlace &Place;
  SafePoint Safe;
  pid_t Pid;
  StubUse Use;
  // CPU time of each thread when the thread was last examined.
  std::map<pid_t, std::chrono::nanoseconds> RanUntilLook;
  // Numbers of threads examined in the last round: threads that got no processor, and
  // threads that stopped.
  unsigned NrStarved = 0, NrAnswered = 0;
  std::string Waits; // for messages: the function in which the last examined thread waits
  pb_moment Begun = pb_moment_now();
  std::chrono::nanoseconds StoppedAt{0}, BorrowedFor{0};
  InjectionResult Result;
};

} // namespace

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

static std::string nameOf(int Signal) { return "SIG" + std::string(sigabbrev_np(Signal)); }

// Thread: the thread ID in this command's PID namespace.
std::string Injector::folderOf(pid_t Thread) const {
  return "/proc/" + std::to_string(Pid) + "/task/" + std::to_string(Thread);
}

ProgressTime Injector::timeOf(pid_t Thread) const {
  return ProgressTime(Pid, [Folder = folderOf(Thread)] { return Folder; });
}

ProgressTime Injector::timeOfNew() const {
  return ProgressTime(Pid, [this] {
    const uint32_t Number = word(AREA_NEW_TID);
    if (!Number)
      return std::string();
    return hasThread(Pid, Number) ? threadFolder(Pid, Number) : folderOf(0);
  });
}

static bool awaitDone(ProgressTime Time, std::chrono::nanoseconds Limit,
                      function_ref<bool()> Done) {
  return waitUntil([&] { return pendingEnd() || Time.soFar() >= Limit; }, Done);
}

// For messages: why the wait for a thread ended.
static std::string inTime() {
  if (int Signal = pendingEnd())
    return "before " + nameOf(Signal) + " ended this command";
  return "within " + std::to_string(UntilDone.count()) +
         " seconds (not counting waits for a processor)";
}

//===----------------------------------------------------------------------===//
// The borrowed thread
//===----------------------------------------------------------------------===//

Expected<Injector::Look> Injector::lookAt(pid_t Thread) {
  Tracee T(Pid, Thread);
  auto State = T.stop();
  if (!State)
    return State.takeError();
  ++Result.Looks;
  if (*State == Tracee::State::Halted)
    return Look::Halted;
  if (*State == Tracee::State::Late && ThreadStatus(Pid, Thread).line("State").starts_with("R"))
    ++NrStarved;
  else
    ++NrAnswered;
  if (*State != Tracee::State::Stopped)
    return Look::NotNow;
  auto Undisturbed = T.undisturbed();
  if (!Undisturbed || !T.isAllSaved() || T.isInRestartable())
    return Look::NotNow;
  if (!Safe.isAt(T.registers())) {
    if (std::string Name = Safe.waitsIn(T.registers()); !Name.empty())
      Waits = "; thread " + std::to_string(Thread) + " is in " + Name +
              "() and may hold a lock that the loader needs";
    return Look::NotNow;
  }
  Use.Thread = Thread;
  Use.Back = *Undisturbed;
  if (!hasStack(Use.Back))
    return Look::NotNow;
  if (wayBackSize()) {
    Use.WayBack =
        Place.wayBackTo(Memory, Modules, programCounter(Use.Back));
    if (!Use.WayBack)
      return Look::NotNow;
  }
  std::string Code = stubCode(Functions, Use);
  // After execve(2), the memory belongs to another program and the write fails.
  if (!Place.writeCode(Thread, Code))
    return isGone() ? Expected<Look>(Look::NotNow) : Place.cannotWriteCode();
  if (!T.hasThere(Place.code(), Code))
    return Look::NotNow;
  // Write the way back after the stub: if this command is killed, another command finds the
  // way back through the stub.
  if (Use.WayBack && !Place.writeWayBack(Thread, Use.WayBack,
                                         wayBackCode(Use.WayBack, Use.Back)))
    return Look::NotNow;
  StoppedAt = T.stoppedAt();
  if (!T.resumeWith(
          redirected(T.registers(), Place.code() + stubEntry())))
    return Look::NotNow;
  return Look::Borrowed;
}

// Has the thread only waited for a processor since its last stop? Another stop would be
// useless, and costs the thread some microseconds.
bool Injector::isWhereItWas(pid_t Thread) const {
  auto Before = RanUntilLook.find(Thread);
  if (Before == RanUntilLook.end())
    return false;
  RunTime Now = runTimeOf(folderOf(Thread));
  return Now.IsRunnable && Now.Ran - Before->second < 100us;
}

// First tries threads in system calls that are likely to be safe points.
Expected<Injector::Look> Injector::lookAtOneOf(ArrayRef<pid_t> Threads,
                                               Clock::time_point End) {
  std::vector<pid_t> Others;
  for (bool IsFirst : {true, false}) {
    for (pid_t Thread : IsFirst ? Threads : ArrayRef<pid_t>(Others)) {
      auto Place = placeOf(Pid, Thread);
      bool Waits = Place && !Place->IsRunning;
      if (IsFirst && !(Waits && SafePoint::isLikely(Place->SystemCall))) {
        Others.push_back(Thread);
        continue;
      }
      if (Waits)
        Safe.prepare(*Place);
      if (isWhereItWas(Thread)) {
        ++NrStarved;
        continue;
      }
      Tracee::letLateGo(Pid, Thread);
      auto L = lookAt(Thread);
      RanUntilLook[Thread] = runTimeOf(folderOf(Thread)).Ran;
      // Check the time after each thread, since stopping many threads may take long.
      if (!L || *L != Look::NotNow || Clock::now() >= End)
        return L;
    }
  }
  return Look::NotNow;
}

// Go's linker writes this magic string for debug/buildinfo.
static bool isGo(pid_t Pid) {
  auto File = MemoryBuffer::getFile("/proc/" + Twine(Pid) + "/exe", /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  return File && (*File)->getBuffer().contains("\xff Go buildinf:");
}

Error Injector::borrowThread() {
  Clock::duration Counted{0};
  int Signal = 0;
  do {
    const auto Begin = Clock::now();
    NrAnswered = NrStarved = 0;
    auto L = lookAtOneOf(threadsOf(Pid), Begin + UntilSafe);
    if (!L)
      return L.takeError();
    if (*L == Look::Halted)
      return Memory.error("it is stopped (SIGSTOP or Ctrl-Z): continue it first with kill "
                          "-CONT");
    if (*L == Look::Borrowed)
      return Error::success();
    std::this_thread::sleep_for(2ms);
    // Do not count time in which no thread got a processor to stop on.
    if (NrAnswered || !NrStarved)
      Counted += Clock::now() - Begin;
    Signal = pendingEnd();
  } while (Counted < UntilSafe && !Signal);
  if (Signal)
    return Memory.error("none of its threads could load a library before " + nameOf(Signal) +
                        " ended this command");
  if (!ThreadStatus(Pid, Pid).exists())
    return Memory.error("it has ended");
  if (isGo(Pid))
    return Memory.error("it is a Go program, and for 5 seconds none of its threads "
                        "waited in Go's scheduler without C code on its stack; start it "
                        "with 'patchbay record --live'" +
                        Twine(NotSaved));
  return Memory.error("for 5 seconds none of its threads could load a library: all were "
                      "in the C library, the loader, the allocator, or code without "
                      "unwind tables (compile with -fasynchronous-unwind-tables)" +
                      Twine(NotSaved) + Waits + "; try again");
}

// Computes how long the thread was borrowed. The stub stores the processor's counter at its
// end; the counter's rate since Begun converts the counter to ns.
void Injector::measure() {
  uint64_t Left = 0;
  Memory.read(Place.area() + AREA_TICKS, Left);
  pb_moment Now = pb_moment_now();
  double Rate = double(Now.monotonic_ns - Begun.monotonic_ns) /
                double(Now.ticks - Begun.ticks);
  auto Since = std::chrono::nanoseconds(
      Now.ticks > Left ? int64_t(double(Now.ticks - Left) * Rate) : 0);
  BorrowedFor = std::chrono::nanoseconds(Now.monotonic_ns) - Since - StoppedAt;
}

Error Injector::awaitThread() {
  auto Since = Clock::now();
  bool HasCounter = true;
  bool IsDone = awaitDone(timeOf(Use.Thread), UntilDone, [&] {
    Tracee::letLateGo(Pid);
    showLife();
    if (isMarked(AREA_BEGUN) && word(AREA_COUNTER) == PR_TSC_SIGSEGV) {
      HasCounter = false;
      tell(AREA_GIVEN_UP);
    }
    return isMarked(AREA_DONE) || isGone() ||
           (!isMarked(AREA_BEGUN) && Clock::now() - Since > 20ms && hasLeft());
  });
  if (isGone())
    return gone();
  if (!IsDone) {
    Place.leave();
    return Memory.error("its thread " + Twine(Use.Thread) +
                        " did not run the loading code " + inTime() + "; nothing was loaded");
  }
  bool Created = isMarked(AREA_DONE) && !word(AREA_CREATED);
  measure();
  if (!awaitDone(timeOf(Use.Thread), UntilDone, [&] {
        Tracee::letLateGo(Pid);
        showLife();
        return hasLeft() || isGone();
      }))
    Place.leave();
  if (isGone())
    return gone();
  if (!HasCounter)
    return Memory.error("its thread " + Twine(Use.Thread) +
                        " may not read the time-stamp counter (PR_SET_TSC), which the "
                        "runtime reads: start the program with 'patchbay record', which "
                        "detects that");
  // If the area is gone, the stub has unmapped it since pthread_create() failed.
  if (!Created || !isMarked(AREA_DONE))
    return Memory.error("it cannot make the thread that loads the runtime: a limit of memory, "
                        "mappings or threads is reached (prlimit -p " + Twine(Pid) +
                        ", sysctl vm.max_map_count, memory.max and pids.max of its control "
                        "group), or a signal handler left the loading code by siglongjmp()");
  Result.StoodStill = std::max(BorrowedFor, Tracee::longest());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The new thread
//===----------------------------------------------------------------------===//

// Makes a unique path of a descriptor: the loader reuses a loaded library with the same path
// instead of reading the file. Adds "/" or "." for each bit of Mark after a slash, which the
// kernel ignores.
static std::string uniquePath(uint64_t Mark, int Number) {
  std::string Path = "/proc/thread-self/fd";
  for (unsigned Bit = 0; Bit != 64; ++Bit)
    Path += Mark >> Bit & 1 ? "//" : "/.";
  return Path + "/" + std::to_string(Number);
}

// Tells the new thread that this command no longer needs the area, and waits until the new
// thread has ended. The stub is then unused.
Error Injector::end(Error E) {
  pid_t New = word(AREA_NEW_TID);
  tell(AREA_END);
  if (!awaitDone(timeOfNew(), 1s, [&] { return !hasThread(Pid, New); }))
    Place.leave();
  return E;
}

// Fills the new thread's files with the contents of Paths. Returns paths that only the new
// thread can open.
Expected<std::vector<std::string>>
Injector::fillFiles(ArrayRef<std::string> Paths) {
  assert(Paths.size() <= AREA_FILES_MAX);
  Place.write(Place.area() + AREA_NR_FILES, uint32_t(Paths.size()));
  tell(AREA_GO);
  if (!awaitDone(timeOfNew(), UntilDone,
                 [&] { return word(AREA_FILES_MADE) != 0 || isGone(); }))
    return Memory.error("its new thread did not create a file " + inTime() +
                        "; nothing was loaded");
  std::string Folder = threadFolder(Pid, word(AREA_NEW_TID)) + "/fd/";
  std::vector<std::string> Result;
  for (size_t I = 0; I != Paths.size(); ++I) {
    auto Number = int32_t(word(AREA_FILES + 4 * I));
    if (Number < 0)
      return Memory.error("it cannot make a file for the runtime: " +
                          errnoText(-Number));
    if (std::error_code EC =
            sys::fs::copy_file(Paths[I], Folder + std::to_string(Number)))
      return Memory.error(Paths[I] + " cannot be copied into it: " +
                          EC.message());
    Result.push_back(uniquePath(Use.Mark, Number));
  }
  return Result;
}

// Waits until the runtime is loaded. The new thread may have to wait for a processor, or for
// the loader's lock, which other threads take in dlopen() and dlclose(). Returns "" if the
// runtime is loaded or the process is gone; otherwise the reason.
std::string Injector::awaitLoaded() {
  ProgressTime Time = timeOfNew();
  std::chrono::nanoseconds Waited{0};
  int Signal = 0;
  bool IsDone = waitUntil(
      [&] {
        Waited = Time.soFar();
        Signal = pendingEnd();
        return Signal || Time.sinceItRan() >= UntilLoaded || Waited >= UntilLoadedAtMost;
      },
      [&] { return word(AREA_STATE) != 0 || isGone(); });
  if (IsDone)
    return "";
  if (Signal)
    return "its loader had not loaded the runtime when " + nameOf(Signal) + " ended this command";
  return "its loader has not loaded the runtime in " +
         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(Waited).count()) +
         " seconds";
}

Expected<InjectionResult> Injector::load(const Injection &What) {
  std::vector<std::string> Found = What.Paths;
  if (What.ByContents) {
    auto Files = fillFiles(What.Paths);
    if (!Files && isGone()) {
      consumeError(Files.takeError());
      return gone();
    }
    if (!Files) {
      tell(AREA_GIVEN_UP);
      tell(AREA_FILLED);
      return end(Files.takeError());
    }
    Found = std::move(*Files);
  }
  std::string Paths;
  for (const std::string &Path : Found)
    Paths += Path + '\0';
  Paths += '\0';
  if (Paths.size() > AREA_PATHS_SIZE ||
      What.Options.size() >= AREA_OPTIONS_SIZE)
    return end(Memory.error("the options are too long: use fewer -F and -N"));
  Place.write(Place.area() + AREA_PATHS, Paths.data(), Paths.size());
  Place.write(Place.area() + AREA_ENTRY, What.Entry.c_str(),
              What.Entry.size() + 1);
  Place.write(Place.area() + AREA_OPTIONS, What.Options.c_str(),
              What.Options.size() + 1);
  tell(What.ByContents ? AREA_FILLED : AREA_GO);
  if (std::string Why = awaitLoaded(); !Why.empty()) {
    Place.leave();
    tell(AREA_GIVEN_UP);
    tell(AREA_END);
    return Memory.error(Why + ": a thread holds the loader's lock (in a constructor, or "
                              "a callback of dl_iterate_phdr()); when the thread "
                              "releases it, the process unloads the runtime");
  }
  if (isGone())
    return gone();
  Result.Why = Memory.readString(Place.area() + AREA_TEXT);
  Result.Returned = int(word(AREA_RESULT));
  if (word(AREA_STATE) == AREA_IS_REFUSED)
    return end(Memory.error("its loader cannot load the runtime: " + Result.Why));
  if (Error E = end(Error::success()))
    return std::move(E);
  return Result;
}

// Asks whether the thread uses syscall user dispatch. Retries if the thread is
// busy, for example with a signal.
static Expected<bool> askWhetherDispatched(pid_t Pid, pid_t Thread) {
  constexpr int Tries = 100;
  for (int Try = 0; Try != Tries; ++Try) {
    Tracee T(Pid, Thread);
    auto State = T.stop();
    if (!State)
      return State.takeError();
    if (*State != Tracee::State::Busy)
      return *State == Tracee::State::Stopped && T.isDispatched();
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

// Fails if a thread uses syscall user dispatch, which would send SIGSYS for system calls of
// handlers in the thread. Stops threads to find out, but only in the few programs that handle
// SIGSYS.
static Error checkDispatch(const ProcessMemory &Memory) {
  pid_t Pid = Memory.pid();
  if (!(ThreadStatus(Pid, Pid).hex("SigCgt") >> (SIGSYS - 1) & 1))
    return Error::success();
  for (pid_t Thread : threadsOf(Pid)) {
    auto IsDispatched = askWhetherDispatched(Pid, Thread);
    if (!IsDispatched)
      return IsDispatched.takeError();
    if (*IsDispatched)
      return Memory.error("its thread " + Twine(Thread) +
                          " intercepts its own system calls (PR_SET_SYSCALL_USER_DISPATCH) and "
                          "would also intercept those of the runtime: start the program with "
                          "'patchbay record', which prepares for that");
  }
  return Error::success();
}

Expected<InjectionResult> patchbay::inject(ProcessMemory &Memory,
                                           const Injection &What) {
  auto Modules = LoadedModules::read(Memory);
  if (!Modules)
    return Modules.takeError();
  // These sanitizers know only threads that their own pthread_create() created, and need
  // memory that no other thread has.
  for (StringRef Sanitizer : {"tsan", "msan"})
    if (Modules->find(("__" + Sanitizer + "_init").str()))
      return Memory.error("it is built with -fsanitize=" +
                          StringRef(Sanitizer == "tsan" ? "thread" : "memory") +
                          ", which fails in a thread whose creation it did not see: start it "
                          "with 'patchbay record'");
  auto Functions = findStubFunctions(Memory, *Modules);
  if (!Functions)
    return Functions.takeError();
  std::optional<StubPlace> Place;
  std::optional<Injector> I;
  Error Failed = Error::success();
  Tracee::onThreadOfItsOwn([&] {
    consumeError(std::move(Failed));
    Failed = [&]() -> Error {
      if (Error E = checkDispatch(Memory))
        return E;
      auto Found = StubPlace::find(Memory, *Modules);
      if (!Found)
        return Found.takeError();
      Place.emplace(std::move(*Found));
      I.emplace(Memory, *Modules, *Functions, *Place);
      if (Error E = I->borrowThread())
        return E;
      return I->awaitThread();
    }();
  });
  if (Failed)
    return std::move(Failed);
  return I->load(What);
}
