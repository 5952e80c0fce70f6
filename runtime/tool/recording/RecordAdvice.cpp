// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordAdvice.h"
#include "TracerLibrary.h"
#include "attach/Refusal.h"
#include "live/ControlSocket.h"
#include "live/LiveProcess.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace patchbay;

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
