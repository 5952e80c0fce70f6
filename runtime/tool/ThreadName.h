// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of another process, as messages show it.
#ifndef PATCHBAY_TOOL_THREADNAME_H
#define PATCHBAY_TOOL_THREADNAME_H

#include <cstdint>
#include <string>

namespace patchbay {

/// "thread 4711 (worker)". Number is what the process itself calls the thread,
/// which in a PID namespace of its own is not what we call it; 0: one that is
/// ending. Of a thread that has gone only its number is known.
std::string threadText(int Pid, uint64_t Number);

} // namespace patchbay

#endif
