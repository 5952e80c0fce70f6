// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files patchbay wrote. Only these are moved, renamed or removed: a file needs the
// exact name that patchbay gives, and the content. See also runtime/trace/own_file.h.
#ifndef PATCHBAY_TOOL_RECORDING_OWNFILES_H
#define PATCHBAY_TOOL_RECORDING_OWNFILES_H

#include "format.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace patchbay {

enum class OwnName {
  None,
  Data,  // PID.pbd, PID.N.pbd
  Whole, // PID.TIME.pbd, of a recording that is rotated
  Spare, // PID.N.spare.pbd
  New,   // PID.pbd.new, PID.N.pbd.new
  Size,  // .size
  Names, // of functions: see NameArchive.h
  Selection, // PID.selection: see runtime/trace/selection.h
  Command, // .command: see OutputDir::writeCommand()
};
/// By the last part of the path alone.
OwnName ownName(llvm::StringRef Path);

/// The file that says with which command a recording was made, and its first line.
extern const char CommandFile[], CommandMagic[];

/// "20260131T235959.999Z"
bool isTimeStamp(llvm::StringRef Text);

/// Opens a regular file, not through a link, and without waiting for a FIFO. Returns -1 if
/// there is none.
int openPlainFile(int Dir, llvm::StringRef Path);

/// The header of a data file whose name and content fit each other.
std::optional<pbd_header> ownHeader(int Dir, llvm::StringRef Path);

/// Whether patchbay wrote this file of a recording. An empty file of such a name counts: a
/// process may have been killed before it wrote a header.
bool isOwnFile(int Dir, llvm::StringRef Path);

/// As rename(2), but never over what is there: not over an empty directory that another
/// command has just made and locked, either. Some file systems, such as NFS, cannot promise
/// that.
bool moveUnlessThere(const std::string &From, const std::string &To);

} // namespace patchbay

#endif
