// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a thread of another process by its number in that process's PID namespace, which
// may differ from the number here.
#ifndef PATCHBAY_TOOL_THREADNAME_H
#define PATCHBAY_TOOL_THREADNAME_H

#include <cstdint>
#include <string>

namespace patchbay {

/// "thread 4711 (worker)", for messages. 0: a thread that is ending. If the
/// thread has gone, only its number is known.
std::string threadText(int Pid, uint64_t Number);

/// "/proc/4711/task/4712"; the process's folder if there is no such thread.
std::string threadFolder(int Pid, uint64_t Number);

} // namespace patchbay

#endif
