// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataErrors.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>

using namespace llvm;
using namespace patchbay;

bool patchbay::isOutOfSpace(uint32_t Errno) {
  return is_contained({ENOSPC, EDQUOT, EFBIG}, int(Errno));
}

bool patchbay::lacksFunctions(uint32_t Errno) {
  return Errno && !isOutOfSpace(Errno) &&
         !is_contained({ENODATA, ETIME, ETIMEDOUT}, int(Errno));
}

std::string patchbay::incompleteText(uint32_t Errno) {
  std::string Why = errnoText(Errno);
  if (isOutOfSpace(Errno))
    return "the disk had no space left for the file: " + Why +
           "; earlier events are kept";
  if (Errno == ENODATA)
    return "another program truncated the file while it was recorded: earlier events are lost";
  if (Errno == ETIME)
    return "the thread that listens for 'patchbay live' was busy for more than "
           "10 s when the process restricted its system calls (seccomp) or "
           "files (Landlock): that thread is not restricted, or the restriction "
           "ended the process";
  if (Errno == ETIMEDOUT)
    return "a thread stayed in a handler longer than the wait limit "
           "(patchbay_set_wait_limit()), so it may have used a tracer that had been "
           "stopped";
  if (Errno == EILSEQ)
    Why = "the bytes at their sites are not the compiler's, or llvm-bolt moved "
          "them, or the code is execute-only: 'patchbay verify' shows which";
  if (Errno == EIO)
    Why += "; if the kernel lets only debuggers write code, boot it with "
           "proc_mem.force_override=always";
  if (Errno == EOVERFLOW)
    Why = "more than 4 GB of code were loaded: events refer to functions by 32-bit offsets";
  if (Errno == EPROTONOSUPPORT)
    Why = "a library that was loaded was compiled for another version of Patchbay's ABI: "
          "'patchbay verify LIBRARY' shows the version";
  return "some functions were not traced: " + Why;
}
