// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of another process, by the number that the process itself calls it by:
// in a PID namespace of its own that is not what we call it.
#ifndef PATCHBAY_TOOL_THREADNAME_H
#define PATCHBAY_TOOL_THREADNAME_H

#include <cstdint>
#include <string>

namespace patchbay {

/// "thread 4711 (worker)", as messages show it. 0: one that is ending. Of a thread that
/// has gone only its number is known.
std::string threadText(int Pid, uint64_t Number);

/// "/proc/4711/task/4712"; if there is no such thread, the process's folder.
std::string threadFolder(int Pid, uint64_t Number);

} // namespace patchbay

#endif
