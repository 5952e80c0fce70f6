// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DataCopy.h"
#include "support/Diagnostics.h"
#include "trace/format/format.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static Error failed(int Errno) { return makeError(errnoText(Errno)); }

static Error noRecording() {
  return makeError("the file that the process records to has another format");
}

// Copies the header, which tells how much data is complete: data that is added
// later is not copied. Returns the end of the complete data.
static Expected<off_t> copyHeader(int From, int To) {
  struct stat Status;
  if (fstat(From, &Status))
    return failed(errno);
  // Reading anything but a regular file may block.
  if (!S_ISREG(Status.st_mode))
    return noRecording();
  pbd_header Header;
  ssize_t Size = pread(From, &Header, sizeof(Header), 0);
  if (Size < 0)
    return failed(errno);
  if (Size != sizeof(Header) ||
      memcmp(Header.magic, PBD_MAGIC, sizeof(Header.magic)) ||
      Header.byte_order != PBD_BYTE_ORDER ||
      Header.committed < PBD_HEADER_MIN)
    return noRecording();
  if (write(To, &Header, sizeof(Header)) != sizeof(Header))
    return failed(errno);
  // Ask again, since the file may have grown. If it is shorter than its header
  // says, the copy is, too, which readers report.
  if (fstat(From, &Status))
    return failed(errno);
  return std::min<uint64_t>(Header.committed, Status.st_size);
}

// Has the file unallocated parts? The recorder allocates all space before it writes,
// unless the file system compresses data. SEEK_HOLE is used only then: on some file
// systems it misses pages that were written through mappings.
static bool hasHoles(int From, off_t End) {
  struct stat Status;
  return !fstat(From, &Status) && off_t(Status.st_blocks) * 512 < End;
}

// Returns an errno.
static int copyPart(int From, int To, off_t At, off_t End) {
  if (lseek(To, At, SEEK_SET) < 0)
    return errno;
  while (At < End) {
    ssize_t Size = sendfile(To, From, &At, size_t(End - At));
    if (Size == 0) // the file was truncated
      return 0;
    if (Size < 0 && errno != EINTR)
      return errno;
  }
  return 0;
}

// Returns an errno.
static int copyParts(int From, int To, off_t At, off_t End) {
  while (At < End) {
    off_t Data = lseek(From, At, SEEK_DATA);
    if (Data < 0)
      return errno == ENXIO ? 0 : errno; // the rest is a hole
    off_t Hole = lseek(From, Data, SEEK_HOLE);
    if (Hole < 0)
      return errno == ENXIO ? 0 : errno; // the file was truncated
    At = std::min(Hole, End);
    if (int Errno = copyPart(From, To, Data, At))
      return Errno;
  }
  return 0;
}

static Error copyAll(int From, int To) {
  auto End = copyHeader(From, To);
  if (!End)
    return End.takeError();
  off_t At = sizeof(pbd_header);
  if (ftruncate(To, *End))
    return failed(errno);
  int Errno = hasHoles(From, *End) ? copyParts(From, To, At, *End)
                                   : copyPart(From, To, At, *End);
  return Errno ? failed(Errno) : Error::success();
}

Error patchbay::copyData(int From, StringRef To) {
  std::string Path = To.str();
  int File = open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (File < 0)
    return makeError("cannot create " + Path + ": " + errnoText(errno));
  Error E = copyAll(From, File);
  // close() may report that the disk is full.
  if (close(File) && !E)
    E = failed(errno);
  if (E)
    unlink(Path.c_str());
  return E;
}
