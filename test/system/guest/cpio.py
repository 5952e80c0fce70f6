# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the kernel's initial root file system: a cpio archive in the newc format
(Documentation/driver-api/early-userspace/buffer-format)."""
import os
import stat


class Archive:
    def __init__(self):
        self.data = bytearray()
        self.paths = set()

    def directory(self, path):
        self._entry(path, stat.S_IFDIR | 0o755)

    def file(self, path, content, mode=0o755):
        self._entry(path, stat.S_IFREG | mode, content)

    def link(self, path, target):
        self._entry(path, stat.S_IFLNK | 0o777, os.fsencode(target))

    def device(self, path, major, minor):
        self._entry(path, stat.S_IFCHR | 0o600, device=(major, minor))

    def finish(self):
        self._header("TRAILER!!!", 0, 0, (0, 0))
        return self.data

    def _entry(self, path, mode, content=b"", device=(0, 0)):
        """Adds an entry after its parent folders, unless it exists."""
        path = os.path.normpath(path)
        if path in self.paths or path == "/":
            return
        self.directory(os.path.dirname(path))
        self.paths.add(path)
        self._header(path.lstrip("/"), mode, len(content), device)
        self.data += content
        self._align()

    def _header(self, name, mode, size, device):
        name = os.fsencode(name) + b"\0"
        ino, uid, gid, nlink, mtime, check = len(self.paths), 0, 0, 1, 0, 0
        fields = (ino, mode, uid, gid, nlink, mtime, size, 0, 0, *device,
                  len(name), check)
        self.data += b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self._align()

    def _align(self):
        self.data += bytes(-len(self.data) % 4)
