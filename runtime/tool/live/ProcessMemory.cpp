// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProcessMemory.h"
#include "ThreadStatus.h"
#include "patchbay/abi.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace llvm;
using namespace patchbay;

static constexpr char NoMemory[] =
    "it has no memory: it has ended, or is a thread of the kernel";

Expected<ProcessMemory> ProcessMemory::openIn(unsigned Pid,
                                              const std::string &Folder) {
  Descriptor Fd = ::open((Folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  int Errno = errno;
  // Some kernels fail with ESRCH for a process without memory.
  if (Fd < 0 && Errno == ESRCH && !access(Folder.c_str(), F_OK))
    return processError(Pid, NoMemory);
  if (Fd < 0 && (Errno == ENOENT || Errno == ESRCH))
    return processError(Pid, "no such process");
  if (Fd < 0 && (Errno == EACCES || Errno == EPERM))
    return whyNotPermitted(Pid, Errno);
  if (Fd < 0)
    return processError(Pid, "cannot read its memory: " + errnoText(Errno));
  ProcessMemory Memory(Pid, Folder, std::move(Fd));
  if (Error E = Memory.readMappings())
    return E;
  return Memory;
}

// If the main thread has ended, for example by pthread_exit(3), reads the memory, mappings and
// root of the process through another thread.
Expected<ProcessMemory> ProcessMemory::open(unsigned Pid) {
  std::string Folder = "/proc/" + std::to_string(Pid);
  Expected<ProcessMemory> Memory = openIn(Pid, Folder);
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder + "/task", EC), End;
       !Memory && !EC && I != End; I.increment(EC)) {
    Expected<ProcessMemory> Other = openIn(Pid, I->path());
    if (Other) {
      consumeError(Memory.takeError());
      return Other;
    }
    consumeError(Other.takeError());
  }
  return Memory;
}

std::string ProcessMemory::proc(const Twine &Name) const {
  return (Folder + "/" + Name).str();
}

Error ProcessMemory::error(const Twine &Message) const {
  return processError(Pid, Message);
}

// Finds code that was moved to anonymous memory. The headers of its file are still mapped
// shortly before the code.
void ProcessMemory::findMovedCode() {
  for (size_t I = 1; I < Mappings.size(); ++I) {
    Mapping &M = Mappings[I];
    size_t First = I - 1;
    if (!M.Executable || !M.Path.empty() || !StringRef(Mappings[First].Path).starts_with("/"))
      continue;
    while (First && Mappings[First].Offset && Mappings[First - 1].Path == Mappings[First].Path)
      --First;
    auto Image = MappedImage::at(*this, Mappings[First]);
    if (!Image)
      continue;
    for (const ELF::Elf64_Phdr &P : Image->Headers) {
      uint64_t Offset = M.Start - Image->Base - P.p_vaddr + P.p_offset;
      // The kernel maps whole pages of a segment.
      if (P.p_type != ELF::PT_LOAD || !(P.p_flags & ELF::PF_X) ||
          Offset + P.p_align < P.p_offset || Offset >= P.p_offset + P.p_filesz)
        continue;
      M.Path = Mappings[First].Path;
      M.Device = Mappings[First].Device;
      M.Inode = Mappings[First].Inode;
      M.Offset = Offset;
    }
  }
}

Error ProcessMemory::readMappings() {
  auto Buffer = MemoryBuffer::getFileAsStream(proc("maps"));
  if (!Buffer) {
    std::error_code Code = Buffer.getError();
    if (Code == std::errc::no_such_process ||
        Code == std::errc::no_such_file_or_directory)
      return error("no such process");
    return error("cannot read its mappings: " + Code.message());
  }
  Mappings = parseMappings((*Buffer)->getBuffer());
  findMovedCode();
  return Mappings.empty() ? error(NoMemory) : Error::success();
}

//===----------------------------------------------------------------------===//
// Mapped files
//===----------------------------------------------------------------------===//

// Is File mapped at M? The device numbers of stat(2) and /proc/PID/maps may differ (btrfs,
// overlayfs). So this command maps File and compares the two lines of maps.
static bool isMapped(int File, const ProcessMemory::Mapping &M) {
  struct stat Status;
  if (fstat(File, &Status) || Status.st_ino != M.Inode || !Status.st_size)
    return false;
  void *Page = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, File, 0);
  if (Page == MAP_FAILED)
    return false;
  auto Ours = MemoryBuffer::getFileAsStream("/proc/self/maps");
  bool IsSame =
      Ours && any_of(parseMappings((*Ours)->getBuffer()),
                     [&](const ProcessMemory::Mapping &Our) {
                       return Our.Start == reinterpret_cast<uintptr_t>(Page) &&
                              Our.Inode == M.Inode && Our.Device == M.Device;
                     });
  munmap(Page, 1);
  return IsSame;
}

// Opens a path as the process would, possibly in a file system that only the process sees.
// Resolves absolute links from the process's root, so that links cannot leave the root.
Descriptor ProcessMemory::openByPath(StringRef Path) const {
  const Descriptor Root = ::open(proc("root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (Root < 0)
    return {};
  open_how How = {};
  How.flags = O_PATH | O_CLOEXEC;
  How.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return int(syscall(SYS_openat2, int(Root), Path.str().c_str(), &How, sizeof(How)));
}

// Tries several ways to open the mapped file. With CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN,
// /proc/PID/map_files opens the mapped file itself, even if it was renamed or removed.
// /proc/PID/exe opens the program even if it was removed. A path may by now refer to any
// file, so the path is opened without blocking, and then verified. If the process has only
// called chroot(2), its paths are also valid for this command.
Descriptor ProcessMemory::openFile(const Mapping &M) const {
  auto Check = [&](Expected<Descriptor> File, bool IsCertain) {
    if (File && (IsCertain || isMapped(*File, M)))
      return std::move(*File);
    consumeError(File.takeError());
    return Descriptor();
  };
  std::string Range =
      utohexstr(M.Start, /*LowerCase=*/true) + "-" +
      utohexstr(M.End, /*LowerCase=*/true);
  Descriptor File = Check(openRegularFile(proc("map_files/" + Range)), true);
  if (File < 0)
    File = Check(openRegularFile(proc("exe")), false);
  if (const Descriptor Found = File < 0 ? openByPath(M.Path) : Descriptor(); Found >= 0)
    File = Check(openRegularFile(Found), false);
  if (File < 0)
    File = Check(openRegularFile(M.Path), false);
  return File;
}

std::vector<const ProcessMemory::Mapping *> ProcessMemory::codeOfFiles() const {
  std::vector<const Mapping *> Found;
  std::set<StringRef> Seen;
  for (const Mapping &M : Mappings)
    if (M.Executable && StringRef(M.Path).starts_with("/") && Seen.insert(M.Path).second)
      Found.push_back(&M);
  return Found;
}

bool ProcessMemory::read(uint64_t Address, void *Bytes, size_t Size) const {
  char *To = static_cast<char *>(Bytes);
  while (Size) {
    // Addresses in the upper half are invalid as file offsets.
    if (Address > INT64_MAX)
      return false;
    ssize_t Done = pread(Fd, To, Size, static_cast<off_t>(Address));
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return false;
    To += Done;
    Address += Done;
    Size -= Done;
  }
  return true;
}

std::string ProcessMemory::readString(uint64_t Address) const {
  std::string Text;
  constexpr size_t Max = 4096, Step = 64;
  while (Text.size() < Max) {
    char Bytes[Step];
    // Do not cross the end of the page: the next page may be unmapped.
    size_t Size = Step - Address % Step;
    if (!read(Address, Bytes, Size))
      break;
    size_t Length = strnlen(Bytes, Size);
    Text.append(Bytes, Length);
    if (Length != Size)
      return Text;
    Address += Size;
  }
  return Text;
}

static constexpr unsigned CapSysPtrace = 19; // <linux/capability.h>

// Yama's restriction of ptrace(2); 0 on a kernel without Yama.
static unsigned yamaScope() {
  unsigned Scope = 0;
  StringRef(fileText("/proc/sys/kernel/yama/ptrace_scope")).trim().getAsInteger(10, Scope);
  return Scope;
}

// Advice that also applies to root.
static constexpr char NoRight[] =
    "get CAP_SYS_PTRACE, which root does not have here (in a container: "
    "--cap-add=SYS_PTRACE)";

static std::string whyYama(unsigned Scope) {
  std::string Setting = "kernel.yama.ptrace_scope is " + utostr(Scope);
  bool IsRoot = !geteuid();
  if (Scope == 1)
    return Setting + ", which allows debugging only of your own children: " +
           (IsRoot ? NoRight : "become root") + ", or set it to 0 as root";
  if (Scope == 2)
    return Setting + ", which allows debugging only by root (CAP_SYS_PTRACE)" +
           (IsRoot ? std::string(": ") + NoRight : "");
  return Setting + ", which forbids debugging until the next boot";
}

Error patchbay::whyNotPermitted(pid_t Process, int Errno) {
  if (Errno != EPERM && Errno != EACCES)
    return processError(Process, "cannot be stopped: " + errnoText(Errno));
  ThreadStatus Theirs(Process, Process), Ours(getpid(), getpid());
  // EPERM: the kernel allows only one debugger per process. EACCES of open(2) has other
  // causes.
  if (uint64_t Tracer = Errno == EPERM ? Theirs.number("TracerPid") : 0)
    return processError(Process, "process " + Twine(Tracer) + " (" +
                                     ThreadStatus(Tracer, Tracer).line("Name") +
                                     ") already debugs it: end the debugger first, since "
                                     "a process can have only one debugger");
  std::string Not = "you may not debug it: ";
  unsigned Scope = yamaScope();
  bool IsRoot = Ours.hex("CapEff") >> CapSysPtrace & 1;
  if (Scope >= 3)
    return processError(Process, Not + whyYama(Scope));
  if (IsRoot)
    return processError(Process, Not + "this command has no rights in its user "
                                       "namespace, or a security module (SELinux, "
                                       "AppArmor) forbids it");
  if (uint64_t User = Theirs.number("Uid"); User != getuid())
    return processError(
        Process, Not + "it belongs to user " + Twine(User) + ", and you are " +
                     Twine(getuid()) + ": become that user, or " +
                     (getuid() ? "root (CAP_SYS_PTRACE)" : NoRight));
  if (Scope)
    return processError(Process, Not + whyYama(Scope));
  return processError(Process,
                      Not +
                          "it has gained or dropped privileges "
                          "(setuid, capabilities, "
                          "PR_SET_DUMPABLE): " +
                          (getuid() ? "become root (CAP_SYS_PTRACE)" : NoRight));
}

// Limits the size of a note segment. No file has more.
static constexpr uint64_t MaxNotes = 1 << 16;
// Limits the bytes of all headers and notes of a process, which may map the
// same file tens of thousands of times.
static constexpr uint64_t MaxBytes = 1 << 26;

std::optional<MappedImage> MappedImage::at(const ProcessMemory &Memory,
                                           const ProcessMemory::Mapping &M) {
  ELF::Elf64_Ehdr Header;
  if (M.Offset || !Memory.read(M.Start, Header) || !Header.checkMagic() ||
      Header.getFileClass() != ELF::ELFCLASS64 ||
      Header.getDataEncoding() != ELF::ELFDATA2LSB ||
      Header.e_phentsize != sizeof(ELF::Elf64_Phdr))
    return std::nullopt;
  MappedImage Image{M.Path, Header.e_machine, 0, {}};
  Image.Headers.resize(Header.e_phnum);
  if (!Memory.read(M.Start + Header.e_phoff, Image.Headers.data(),
                   Image.Headers.size() * sizeof(ELF::Elf64_Phdr)))
    return std::nullopt;
  for (const ELF::Elf64_Phdr &P : Image.Headers)
    if (P.p_type == ELF::PT_LOAD && P.p_offset == 0) {
      Image.Base = M.Start - P.p_vaddr;
      return Image;
    }
  return std::nullopt;
}

bool MappedImage::contains(uint64_t Address) const {
  return any_of(Headers, [&](const ELF::Elf64_Phdr &P) {
    return P.p_type == ELF::PT_LOAD && Address - Base - P.p_vaddr < P.p_memsz;
  });
}

// Finds a note in the range, and returns the address of its descriptor in the process. Returns
// 0 if the range does not contain the note.
static uint64_t findNote(const ProcessMemory &Memory, uint64_t Address,
                         uint64_t Size, uint32_t Type, uint64_t MinSize) {
  std::vector<uint8_t> Notes(std::min(Size, MaxNotes));
  if (!Memory.read(Address, Notes.data(), Notes.size()))
    return 0;
  const StringRef Owner(PATCHBAY_NOTE_NAME, sizeof(PATCHBAY_NOTE_NAME));
  for (uint64_t At = 0; At + sizeof(ELF::Elf64_Nhdr) <= Notes.size();) {
    ELF::Elf64_Nhdr Note;
    memcpy(&Note, &Notes[At], sizeof(Note));
    uint64_t Name = At + sizeof(Note);
    uint64_t Desc = Name + alignTo(uint64_t(Note.n_namesz), 4);
    uint64_t End = Desc + alignTo(uint64_t(Note.n_descsz), 4);
    if (End > Notes.size())
      return 0;
    if (Note.n_type == Type && Note.n_descsz >= MinSize &&
        StringRef(reinterpret_cast<char *>(&Notes[Name]), Note.n_namesz) ==
            Owner)
      return Address + Desc;
    At = End;
  }
  return 0;
}

Error patchbay::forEachMappedNote(
    const ProcessMemory &Memory, uint32_t Type, uint64_t MinSize,
    function_ref<Error(const MappedImage &, uint64_t)> Found) {
  uint64_t Bytes = 0;
  for (const ProcessMemory::Mapping &M : Memory.mappings()) {
    std::optional<MappedImage> Image = MappedImage::at(Memory, M);
    if (!Image)
      continue;
    Bytes += Image->Headers.size() * sizeof(ELF::Elf64_Phdr);
    for (const ELF::Elf64_Phdr &P : Image->Headers) {
      // The segment has an alignment of 8 if any of its notes has
      // (core/system/elf_note.h).
      if (P.p_type != ELF::PT_NOTE || P.p_align > 8)
        continue;
      Bytes += std::min<uint64_t>(P.p_memsz, MaxNotes);
      if (Bytes > MaxBytes)
        return Memory.error("it has mapped more than " + Twine(MaxBytes >> 20) +
                            " MiB of ELF headers and notes, which are not "
                            "read");
      uint64_t Note = findNote(Memory, Image->Base + P.p_vaddr, P.p_memsz,
                               Type, MinSize);
      if (!Note)
        continue;
      if (Error E = Found(*Image, Note))
        return E;
    }
  }
  return Error::success();
}
