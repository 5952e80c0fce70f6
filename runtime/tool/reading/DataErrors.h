// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of error numbers in data files.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay {

/// What a data file's error means for its user.
std::string incompleteText(uint32_t Errno);

/// Does the error mean that some functions were not traced?
bool lacksFunctions(uint32_t Errno);

/// Does the error mean that the file ran out of space?
bool isOutOfSpace(uint32_t Errno);

} // namespace patchbay
