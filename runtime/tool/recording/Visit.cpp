// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Visit.h"
#include "OutputDir.h"
#include "Program.h"
#include "Selection.h"
#include "attach/Refusal.h"
#include "attach/RuntimeFiles.h"
#include "live/LiveProcess.h"
#include "live/ThreadStatus.h"
#include "support/Diagnostics.h"
#include "support/PlainText.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>
#include <poll.h>

using namespace llvm;
using namespace patchbay;

static constexpr char EntryName[] = "patchbay_trace_visit";

// Advice on an output directory that the process's user cannot reach. For example, root
// records another user's process, and DIR is in root's home.
static StringRef adviceOn(StringRef Why) {
  if (!Why.starts_with("output=") || !Why.ends_with(errnoText(EACCES)))
    return "";
  return ": its user may not write there or enter a parent directory: name another, as with -o "
         "/tmp/NAME";
}

static Error load(ProcessMemory &Memory, const ElfImage &Library,
                  const std::string &Options, StringRef What) {
  auto Runtime = runtimeFor(Memory, Library);
  if (!Runtime)
    return Runtime.takeError();
  Runtime->Entry = EntryName;
  Runtime->Options = Options;
  auto Result = injectRuntime(Memory, *Runtime, Library);
  if (!Result)
    return Result.takeError();
  if (Result->Returned)
    return Memory.error("its runtime refused: " + Result->Why +
                        adviceOn(Result->Why));
  double Still = std::chrono::duration<double, std::milli>(Result->StoodStill)
                     .count();
  errs() << formatv("patchbay: process {0}: {1}; one thread stopped for {2:f2} ms",
                    Memory.pid(), What, Still);
  if (const auto Shorter = Result->Looks - 1)
    errs() << ", after " << counted(Shorter, "shorter stop") << " of threads";
  errs() << '\n';
  return Error::success();
}

// Makes this command the holder of the process's recording: the recording lasts until the
// holder ends. Result: the result in the process's reply. Fails without a reply.
static Expected<ControlSocket> hold(pid_t Pid, StringRef Idle, int &Result) {
  auto Socket = ControlSocket::connect(Pid);
  if (!Socket)
    return Socket.takeError();
  if (Error E = Socket->send(PB_CONTROL_HOLD, Idle, {}))
    return std::move(E);
  // Do not wait longer than the process waits for a holder.
  auto Reply = Socket->receive(nullptr, nullptr, ControlSocket::AtOnce);
  if (!Reply)
    return Reply.takeError();
  Result = Reply->result;
  return std::move(*Socket);
}

Expected<Visit> Visit::join(pid_t Pid) {
  int Result;
  auto Socket = hold(Pid, "", Result);
  if (!Socket)
    return Socket.takeError();
  if (Result)
    return processError(Pid,
                        "cannot join its recording: " + errnoText(-Result));
  return Visit(Pid, std::move(*Socket));
}

static std::string pidNamespace(const std::string &Process) {
  char Name[64];
  ssize_t Size = readlink(("/proc/" + Process + "/ns/pid").c_str(), Name, sizeof(Name));
  return std::string(Name, Size > 0 ? Size : 0);
}

static bool isInOurNamespace(pid_t Pid) {
  const std::string Ours = pidNamespace("self");
  return !Ours.empty() && Ours == pidNamespace(std::to_string(Pid));
}

// Can the process open this command's files through /proc? Only a process of the same user
// can.
static bool canOpenOurFiles(pid_t Pid) {
  return isInOurNamespace(Pid) && uid_t(ThreadStatus(Pid, Pid).number("Uid")) == geteuid();
}

// Passes this command's process ID (by=) only within the same PID namespace. In another
// namespace, this command has a different ID or none.
static std::string visitOptions(pid_t Pid, StringRef Options) {
  const std::string By = isInOurNamespace(Pid) ? ",by=" + std::to_string(getpid()) : "";
  return (Options + By + ",live=1,checked=1").str();
}

// Explains why joining the recording failed although the runtime was loaded.
static Error notHeld(const ProcessMemory &Memory, Error E) {
  if (ControlSocket::isLeft(Memory.pid())) {
    consumeError(std::move(E));
    return Memory.error("its recording has already ended: this command did not connect within "
                        "ten seconds after the runtime was loaded, or the process did not run; "
                        "try again");
  }
  auto Listens = ControlSocket::listens(Memory.pid());
  bool IsThere = !Listens || *Listens;
  consumeError(Listens.takeError());
  if (IsThere)
    return E;
  consumeError(std::move(E));
  return Memory.error("it has executed another program since the runtime was loaded; the new "
                      "program is not recorded");
}

Expected<Visit> Visit::begin(ProcessMemory &Memory, const ElfImage &Library,
                             const std::string &Options, const std::string &Dir,
                             StringRef Arena, const RecordingLimits &Limits,
                             StringRef What) {
  auto Output = OutputInside::create(Memory.pid(), Dir);
  if (!Output)
    return Output.takeError();
  if (!StringRef(Options).contains("tracer=function_profile") && !Limits.MaxSize)
    warnOfMemory(Output->path(),
                 "/proc/" + std::to_string(Memory.pid()) + "/root" + Output->path(),
                 Memory.pid());
  // Use the arena only for Dir, since the recorder writes only to files in Dir.
  std::string More = Options;
  if (Output->path() == Dir && canOpenOurFiles(Memory.pid()))
    More += Arena;
  else if (Limits.MaxSize)
    More += ",max-size=" + std::to_string(Limits.MaxSize);
  auto Text = Output->withOutput(visitOptions(Memory.pid(), More), Memory.pid());
  if (!Text)
    return Text.takeError();
  if (Error E = load(Memory, Library, *Text, What))
    return std::move(E);
  // Become the holder: a recording without a holder ends.
  auto Held = join(Memory.pid());
  if (!Held)
    return notHeld(Memory, Held.takeError());
  Held->Output = std::make_unique<OutputInside>(std::move(*Output));
  Held->Output->rotate(Limits);
  return std::move(*Held);
}

// Options for a process that is not recorded, and so has no output.
static std::string idleOptions(pid_t Pid) {
  return visitOptions(Pid, "tracer=function_profile,idle=1") + ",output=/dev/null";
}

Error Visit::loadIdle(ProcessMemory &Memory, const ElfImage &Library) {
  return load(Memory, Library, idleOptions(Memory.pid()), "it listens");
}

Expected<std::unique_ptr<Visit>> Visit::keep(pid_t Pid) {
  int Result;
  auto Socket = hold(Pid, idleOptions(Pid), Result);
  if (!Socket)
    return Socket.takeError();
  // ENOTTY: the process has listened from its start and needs no holder.
  if (Result == -ENOTTY)
    return nullptr;
  if (Result == -EUSERS)
    return processError(Pid, Twine(PB_CONTROL_KEEPERS) +
                                 " other commands already keep the runtime loaded");
  if (Result)
    return processError(Pid, "cannot keep the runtime loaded: " + errnoText(-Result));
  return std::make_unique<Visit>(Visit(Pid, std::move(*Socket)));
}

// Waits until the process replies or ends. Returns false for a stopped process, which does
// not reply: the recording ends when the process continues, since the holder has ended.
static bool awaitReply(pid_t Pid, int Socket) {
  constexpr int LookMs = 1000;
  Stillness Still(Pid);
  for (;;) {
    pollfd Fd = {Socket, POLLIN, 0};
    if (poll(&Fd, 1, LookMs) > 0)
      return true;
    if (std::string Why = Still.why(); !Why.empty()) {
      warn("process " + Twine(Pid) + ": its recording ends when it continues: " + Why);
      return false;
    }
  }
}

void Visit::awaitEnd() {
  if (!awaitReply(Pid, Socket.descriptor()))
    return;
  auto Reply = Socket.receive();
  if (!Reply) {
    consumeError(Reply.takeError()); // the process has ended
    return;
  }
  if (Reply->result == -ETIMEDOUT)
    warn("process " + Twine(Pid) +
         ": its tracing has ended, but a thread is still in a handler: it cannot be "
         "recorded again until the thread leaves it");
  else if (Reply->result < 0)
    warn("process " + Twine(Pid) + ": its functions could not be disarmed: " +
         errnoText(-Reply->result));
  if (Reply->result == PB_CONTROL_STAYS)
    return;
  for (unsigned I = 0; I != 1000 && hasThread(Pid, Socket.listener()); ++I)
    usleep(1000);
}

void Visit::collect() const {
  if (!Output)
    return;
  if (Error E = Output->collect())
    warn("process " + Twine(Pid) + ": " + toString(std::move(E)));
}

static Error whyRefused(pid_t Pid) {
  auto Memory = openProcess(Pid);
  if (!Memory)
    return Memory.takeError();
  auto Library = openTracer(TracerKind::Listens);
  if (!Library)
    return Library.takeError();
  if (Error E = checkProcess(*Memory, *Library))
    return E;
  auto Process = LiveProcess::open(Pid);
  if (!Process)
    return Process.takeError();
  auto Modules = Process->modules();
  if (!Modules)
    return Modules.takeError();
  const bool IsTraced = any_of(*Modules, [](const LiveModule &M) {
    return any_of(M.Sites, [](const LiveSite &S) { return !S.Tracers.empty(); });
  });
  for (const ProcessMemory::Mapping &M : Memory->mappings()) {
    if (!isTracer(M.Path) || ControlSocket::isLeft(Pid))
      continue;
    if (IsTraced)
      return Memory->error("it has been recorded since its start");
    if (StringRef(M.Path).ends_with("/libpatchbay-trace.so"))
      return Memory->error("it was started with libpatchbay-trace.so, which only records "
                           "from the start");
  }
  return Error::success();
}

std::string patchbay::recordAdvice(pid_t Pid, StringRef Does) {
  const std::string Name = std::to_string(Pid);
  std::string Why = toString(whyRefused(Pid));
  if (Why.empty())
    return ("'patchbay record -p " + Name + "' " + Does).str();
  StringRef Reason = Why;
  Reason.consume_front("process " + Name + ": ");
  return ("'patchbay record -p' refuses it: " + Reason).str();
}
