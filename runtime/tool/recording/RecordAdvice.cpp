// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordAdvice.h"
#include "TracerLibrary.h"
#include "attach/Refusal.h"
#include "live/ControlSocket.h"
#include "live/LiveProcess.h"
#include "support/Diagnostics.h"

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
  for (const ProcessMemory::Mapping &M : Memory->mappings())
    if (isTracer(M.Path) && !ControlSocket::isLeft(Pid))
      return Memory->error("it is recorded already, since it was started");
  return LiveProcess::open(Pid).takeError();
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
