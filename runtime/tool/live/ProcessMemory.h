// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the memory of a running process as a debugger does, but without stopping the process.
// The data may change, disappear, or be inconsistent.
#pragma once

#include "support/MappedFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace patchbay {

class ProcessMemory {
public:
  /// If a program has moved its code to anonymous memory, for example for huge pages, Path and
  /// Offset describe the original mapping.
  using Mapping = MemoryMapping;

  /// Fails if the process does not exist, or if this command may not read its
  /// memory.
  static llvm::Expected<ProcessMemory> open(unsigned Pid);

  unsigned pid() const { return Pid; }
  /// The path /proc/PID/Name, or the path of the same file of a thread of the process.
  std::string proc(const llvm::Twine &Name) const;

  /// The result of the last readMappings(), sorted by address.
  const std::vector<Mapping> &mappings() const { return Mappings; }
  const Mapping *mappingAt(uint64_t Address) const {
    return patchbay::mappingAt(Mappings, Address);
  }
  /// The first mapping with code of each file.
  std::vector<const Mapping *> codeOfFiles() const;
  llvm::Error readMappings();
  /// Opens the mapped file for reading, if it is a regular file. Returns -1 if the file was
  /// replaced or removed.
  Descriptor openFile(const Mapping &M) const;

  /// Returns false unless all Size bytes can be read.
  bool read(uint64_t Address, void *Bytes, size_t Size) const;
  template <typename T> bool read(uint64_t Address, T &Value) const {
    return read(Address, &Value, sizeof(Value));
  }
  /// Reads a C string of at most 4 KiB. Empty if the memory cannot be read.
  std::string readString(uint64_t Address) const;

  /// An error about this process.
  llvm::Error error(const llvm::Twine &Message) const;

private:
  ProcessMemory(unsigned Pid, std::string Folder, Descriptor Fd)
      : Pid(Pid), Folder(std::move(Folder)), Fd(std::move(Fd)) {}
  Descriptor openByPath(llvm::StringRef Path) const;
  void findMovedCode();
  static llvm::Expected<ProcessMemory> openIn(unsigned Pid,
                                              const std::string &Folder);

  unsigned Pid;
  std::string Folder;
  Descriptor Fd;
  std::vector<Mapping> Mappings;
};

/// The reason why the kernel forbids debugging a process, and how to allow it (ptrace(2),
/// "Ptrace access mode checking"). Errno: the error of ptrace(2) or open(2).
llvm::Error whyNotPermitted(pid_t Process, int Errno);

/// An ELF image whose header is mapped.
struct MappedImage {
  llvm::StringRef Path;
  uint16_t Machine;
  uint64_t Base;
  std::vector<llvm::ELF::Elf64_Phdr> Headers;

  static std::optional<MappedImage> at(const ProcessMemory &Memory,
                                       const ProcessMemory::Mapping &M);
  /// Is the address within the image as the loader has mapped it? Returns false for pointers
  /// in a file that is not relocated yet, or that the program itself has mapped, such as a
  /// debugger.
  bool contains(uint64_t Address) const;
};

/// Calls Found with the address of the descriptor of each of Patchbay's notes of this type.
/// Skips descriptors of less than MinSize bytes. Stops at an error.
llvm::Error forEachMappedNote(
    const ProcessMemory &Memory, uint32_t Type, uint64_t MinSize,
    llvm::function_ref<llvm::Error(const MappedImage &, uint64_t)> Found);

} // namespace patchbay
