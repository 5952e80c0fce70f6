// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of error numbers in data files.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay {

/// The consequence of a data file's error, as text for users.
std::string incompleteText(uint32_t Errno);

/// Does such an error mean that some functions were not traced?
bool lacksFunctions(uint32_t Errno);

/// Did the file run out of space?
bool isOutOfSpace(uint32_t Errno);

} // namespace patchbay
