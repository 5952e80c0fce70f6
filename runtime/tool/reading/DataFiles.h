// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the data files of a recording. Recognizes files that patchbay wrote by their exact
// names and contents, so that patchbay moves, renames and removes only its own files.
#pragma once

#include "support/MappedFile.h"
#include "trace/format/format.h"
#include <map>
#include <optional>
#include <vector>

namespace patchbay {

/// The data file of `patchbay import`: no process has this number.
extern const char KernelFile[];

/// The data files in the directory Dir, or Dir itself if it is a data file.
/// Sorted by name, with KernelFile last. Excludes unused spare files.
llvm::Expected<std::vector<std::string>> dataFiles(llvm::StringRef Dir);

/// The command that made the recording; empty if unknown.
std::string commandOf(llvm::StringRef Dir);
/// The recorder's note; empty without a note.
std::string noteOf(llvm::StringRef Dir);
/// By path: how often a recorded process started this program, which ran untraced.
std::map<std::string, uint64_t> untracedOf(llvm::StringRef Dir);
/// The newest snapshot in Folder; empty if Folder is not a folder of snapshots.
std::string newestSnapshot(llvm::StringRef Folder);

/// Opens an unused spare file, which has an incomplete header. Returns -1 for all other
/// files.
Descriptor openUnusedSpare(int Dir, llvm::StringRef File);

enum class OwnName {
  None,
  Data,  // PID.pbd, PID.N.pbd
  Whole, // PID.TIME.pbd, of a rotated recording
  Spare, // PID.N.spare.pbd
  New,   // PID.pbd.new, PID.N.pbd.new
  Names, // names of functions: see NameArchive.h
  Selection, // PID.selection: see runtime/trace/options/selection.h
  Command, // .command: see OutputDir::writeCommand()
};
/// Uses only the last part of the path.
OwnName ownName(llvm::StringRef Path);

/// The file with the command that made a recording, and its first line.
extern const char CommandFile[], CommandMagic[];

/// Is this the name of a snapshot of `live --watch`, like "20260131T235959.999Z-slow"?
bool isSnapshotName(llvm::StringRef Name);

/// Opens a regular file. Does not follow links, and does not block on a FIFO.
Descriptor openPlainFile(int Dir, llvm::StringRef Path);

/// The header of a data file, if its name and content match.
std::optional<pbd_header> ownHeader(int Dir, llvm::StringRef Path);

/// Can a data file with this name have this header?
bool isHeaderOf(const pbd_header &Header, llvm::StringRef Path);

/// Is this a regular file that is empty, or has zeros instead of a header?
bool hasNoHeader(int Dir, llvm::StringRef Path);

/// Did patchbay write this file of a recording? Accepts an empty file with the name of a
/// data file: the process may have been killed before it wrote a header.
bool isOwnFile(int Dir, llvm::StringRef Path);

/// Like rename(2), but never replaces a file or a directory. Even an empty directory stays:
/// another command may just have created and locked it. Some file systems, such as NFS,
/// cannot guarantee this.
bool moveUnlessThere(const std::string &From, const std::string &To);

} // namespace patchbay
