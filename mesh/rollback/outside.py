"""Files that an agent writes outside its declared world, seen through the kernel (Linux with CAP_SYS_ADMIN).

The agent gets a mount namespace of its own, and fanotify marks are set on the mounts of that namespace. So the kernel
reports every file that a process of the agent closes after opening it for writing, whatever the process did to its
parent, session and environment; and nothing that anybody else writes. The killed process's files are closed by the
kernel. Files that are removed or renamed without being written, and folders, are not reported.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_CLOEXEC, _NONBLOCK, _NO_LIMITS = 0x1, 0x2, 0x10 | 0x20
_ADD_MOUNT: Final = 0x1 | 0x10
_CLOSE_WRITE: Final = 0x8
_OVERFLOW: Final = 0x4000
_HERE: Final = -100
_NEW_MOUNTS: Final = 0x20000
_FOLLOW_ONLY: Final = 0x4000 | 0x80000
"""MS_REC | MS_SLAVE: mounts of the agent do not come back to this system."""
_EVENT: Final = struct.Struct("=IBBHQii")
_READ_BYTES: Final = 1 << 18
_MAX_FILES: Final = 1_000
_UNREAL: Final = frozenset(
    (
        *("proc", "sysfs", "devpts", "cgroup", "cgroup2", "mqueue", "bpf", "tracefs"),
        *("debugfs", "securityfs", "pstore", "configfs"),
    )
)
"""File systems that hold no files of anybody."""
_CACHES: Final = "__pycache__"
FILES_UNSEEN: Final = "files that the agent wrote outside the declared world"


@dataclass(slots=True)
class OutsideWatch:
    """One agent's written files. why_not: why none can be seen; empty if they are."""

    why_not: str = ""
    _events: int = -1
    _namespace: int = -1
    _told: tuple[int, int] = field(default=(-1, -1))

    @classmethod
    def open(cls) -> OutsideWatch:
        """Prepare the watch; it says why if the system does not allow one."""
        if sys.platform != "linux":
            return cls(why_not="only Linux reports them")
        library = ctypes.CDLL(None, use_errno=True)
        flags = _CLOEXEC | _NONBLOCK | _NO_LIMITS
        try:
            events = library.fanotify_init(flags, os.O_RDONLY | os.O_CLOEXEC)
        except AttributeError:
            return cls(why_not="this C library has no fanotify")
        if events < 0:
            reason = os.strerror(ctypes.get_errno())
            return cls(why_not=f"fanotify needs CAP_SYS_ADMIN: {reason}")
        return cls(_events=events, _told=os.pipe())

    def prepare(self) -> Callable[[], None] | None:
        """What the new process does before it becomes the agent; None if there is nothing to see."""
        return None if self.why_not else self._enter

    def _enter(self) -> None:
        """Enter a mount namespace and mark its mounts. An agent that cannot is started all the same."""
        answer = b"-"
        with suppress(OSError):
            _own_mounts()
            for point in _mount_points():
                _mark(self._events, point)
            answer = b"+"
        os.write(self._told[1], answer)

    def began(self, pid: int) -> None:
        """The agent was started: whether it is seen, and its namespace is kept until the paths are read."""
        if self.why_not:
            return
        os.set_blocking(self._told[0], False)
        answer = b""
        with suppress(BlockingIOError):
            answer = os.read(self._told[0], 1)
        if answer != b"+":
            self.why_not = "the agent could not be given a mount namespace of its own"
            return
        with suppress(OSError):
            self._namespace = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)

    def files(self, declared: Sequence[Path]) -> list[Path] | None:
        """The files that are still there and are not below a declared path; None if they are not seen."""
        if self.why_not:
            return None
        found: dict[Path, None] = {}
        for path in self._written():
            if _CACHES in path.parts or len(found) >= _MAX_FILES:
                continue
            if not any(path.is_relative_to(own) for own in declared):
                found[path] = None
        return sorted(found)

    def _written(self) -> Iterator[Path]:
        """Each regular file that was closed after writing, by its name now."""
        while True:
            try:
                data = os.read(self._events, _READ_BYTES)
            except BlockingIOError:
                return
            while data:
                length, *_, mask, descriptor, _pid = _EVENT.unpack_from(data)
                data = data[length:]
                if mask & _OVERFLOW or descriptor < 0:
                    continue
                path = _name_of(descriptor)
                if path is not None:
                    yield path

    def close(self) -> None:
        """Let go of everything."""
        for descriptor in (self._events, self._namespace, *self._told):
            if descriptor >= 0:
                os.close(descriptor)
        self._events = self._namespace = -1
        self._told = (-1, -1)


def _name_of(descriptor: int) -> Path | None:
    """The name of an open regular file; None if it has none any more."""
    try:
        seen = os.fstat(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        now = path.lstat()
    except OSError:
        return None
    finally:
        os.close(descriptor)
    is_same = (seen.st_dev, seen.st_ino) == (now.st_dev, now.st_ino)
    return path if is_same and stat.S_ISREG(seen.st_mode) else None


def _own_mounts() -> None:
    """Enter a mount namespace of its own, whose mounts do not come back.

    Raises:
        OSError: the system does not allow it.
    """
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_NEW_MOUNTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    if library.mount(None, b"/", None, _FOLLOW_ONLY, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")


def _mount_points() -> Iterator[bytes]:
    for line in Path("/proc/self/mountinfo").read_bytes().splitlines():
        fields, _, kind = line.partition(b" - ")
        if kind.split(b" ")[0].decode() not in _UNREAL:
            point = fields.split(b" ")[4]
            yield point.decode("unicode_escape").encode("latin-1")


def _mark(events: int, point: bytes) -> None:
    """Report what is written through a mount; one that cannot be marked is passed over."""
    mask = ctypes.c_uint64(_CLOSE_WRITE)
    ctypes.CDLL(None).fanotify_mark(events, _ADD_MOUNT, mask, _HERE, point)
