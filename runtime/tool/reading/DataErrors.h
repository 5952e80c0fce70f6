// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the error numbers in data files mean.
#ifndef PATCHBAY_TOOL_DATAERRORS_H
#define PATCHBAY_TOOL_DATAERRORS_H

#include <cstdint>
#include <string>

namespace patchbay {

/// Of a failure that is in a data file: what it means for who reads it.
std::string incompleteText(uint32_t Errno);

/// Whether it is because of such an error that some functions were not traced.
bool lacksFunctions(uint32_t Errno);

/// Was there no more space for the file?
bool isOutOfSpace(uint32_t Errno);

} // namespace patchbay

#endif
