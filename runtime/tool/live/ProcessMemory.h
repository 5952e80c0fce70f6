// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a running process, as a debugger reads it, but without stopping
// it: what is read may change, go away, or make no sense.
#ifndef PATCHBAY_TOOL_PROCESSMEMORY_H
#define PATCHBAY_TOOL_PROCESSMEMORY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace patchbay {

class ProcessMemory {
public:
  /// A line of /proc/PID/maps. Path is empty if no file is mapped there.
  struct Mapping {
    uint64_t Start, End, Offset, Inode;
    std::string Device; // as it is written there
    bool Executable;
    std::string Path;
  };

  /// Fails if there is no such process, or we may not read it.
  static llvm::Expected<ProcessMemory> open(unsigned Pid);
  ProcessMemory(ProcessMemory &&Other);
  ~ProcessMemory();

  unsigned pid() const { return Pid; }
  /// /proc/PID/Name, or of a thread of it.
  std::string proc(const llvm::Twine &Name) const;

  /// As they were at the last call of readMappings(), by address.
  const std::vector<Mapping> &mappings() const { return Mappings; }
  const Mapping *mappingAt(uint64_t Address) const;
  llvm::Error readMappings();
  /// The file of a mapping, opened for reading: a regular one, and the very one that
  /// is mapped. -1 if it was replaced or removed since. The caller closes it.
  int openFile(const Mapping &M) const;

  /// False unless all Size bytes are there.
  bool read(uint64_t Address, void *Bytes, size_t Size) const;
  template <typename T> bool read(uint64_t Address, T &Value) const {
    return read(Address, &Value, sizeof(Value));
  }
  /// A C string, cut off at 4 KiB; empty if there is none.
  std::string readString(uint64_t Address) const;

  /// An error about this process.
  llvm::Error error(const llvm::Twine &Message) const;

private:
  ProcessMemory(unsigned Pid, std::string Folder, int Fd)
      : Pid(Pid), Folder(std::move(Folder)), Fd(Fd) {}
  int openByPath(llvm::StringRef Path) const;
  static llvm::Expected<ProcessMemory> openIn(unsigned Pid,
                                              const std::string &Folder);

  unsigned Pid;
  std::string Folder;
  int Fd;
  std::vector<Mapping> Mappings;
};

} // namespace patchbay

#endif
