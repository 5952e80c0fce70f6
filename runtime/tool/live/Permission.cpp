// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Permission.h"
#include "ThreadStatus.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static constexpr unsigned CapSysPtrace = 19; // <linux/capability.h>

// Yama's restriction of ptrace(2); 0 on a kernel without Yama.
static unsigned yamaScope() {
  unsigned Scope = 0;
  StringRef(fileText("/proc/sys/kernel/yama/ptrace_scope")).trim().getAsInteger(10, Scope);
  return Scope;
}

// Advice that also applies to root.
static constexpr char NoRight[] =
    "get CAP_SYS_PTRACE, which root does not have here (in a container: "
    "--cap-add=SYS_PTRACE)";

static std::string whyYama(unsigned Scope) {
  std::string Setting = "kernel.yama.ptrace_scope is " + utostr(Scope);
  bool IsRoot = !geteuid();
  if (Scope == 1)
    return Setting + ", which allows debugging only of your own children: " +
           (IsRoot ? NoRight : "become root") + ", or set it to 0 as root";
  if (Scope == 2)
    return Setting + ", which allows debugging only by root (CAP_SYS_PTRACE)" +
           (IsRoot ? std::string(": ") + NoRight : "");
  return Setting + ", which forbids debugging until the next boot";
}

Error patchbay::whyNotPermitted(pid_t Process, int Errno) {
  if (Errno != EPERM && Errno != EACCES)
    return processError(Process, "cannot be stopped: " + errnoText(Errno));
  ThreadStatus Theirs(Process, Process), Ours(getpid(), getpid());
  // The kernel allows one debugger per process, and then fails with EPERM.
  // EACCES of open(2) has other causes.
  if (uint64_t Tracer = Errno == EPERM ? Theirs.number("TracerPid") : 0)
    return processError(Process, "process " + Twine(Tracer) + " (" +
                                     ThreadStatus(Tracer, Tracer).line("Name") +
                                     ") already debugs it: end that first, since "
                                     "a process can have only one debugger");
  std::string Not = "you may not debug it: ";
  unsigned Scope = yamaScope();
  bool IsRoot = Ours.hex("CapEff") >> CapSysPtrace & 1;
  if (Scope >= 3)
    return processError(Process, Not + whyYama(Scope));
  if (IsRoot)
    return processError(Process, Not + "this command has no rights in its user "
                                       "namespace, or a security module (SELinux, "
                                       "AppArmor) forbids it");
  if (uint64_t User = Theirs.number("Uid"); User != getuid())
    return processError(
        Process, Not + "it belongs to user " + Twine(User) + ", and you are " +
                     Twine(getuid()) + ": become that user, or " +
                     (getuid() ? "root (CAP_SYS_PTRACE)" : NoRight));
  if (Scope)
    return processError(Process, Not + whyYama(Scope));
  return processError(Process,
                      Not +
                          "it has gained or dropped privileges "
                          "(setuid, capabilities, "
                          "PR_SET_DUMPABLE): " +
                          (getuid() ? "become root (CAP_SYS_PTRACE)" : NoRight));
}
