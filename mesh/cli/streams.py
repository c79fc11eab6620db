"""stdout and stderr that may be closed, full or without a character: the command goes on, and its exit code says so.

What cannot be written to stdout is remembered: `exit_code` turns a success into exit code 2. A reader that closes the
pipe early (`judgemesh report | head`) is no error. What cannot be written to stderr is lost without a word: there is
nobody to tell.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Final, TextIO

from judgemesh.mesh.cli.errors import EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STDOUT: Final = 1
_STDERR: Final = 2


class _GuardedFile(io.FileIO):
    """A descriptor whose writes never fail. fault: the first error of a write that mattered."""

    fault: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, or drop the bytes and remember why."""
        size = len(memoryview(data).cast("B"))
        if self.fault is not None:
            return size
        try:
            return super().write(data)
        except OSError as error:
            self.fault = error
            return size


def guard_streams() -> None:
    """From now on a write to stdout or stderr never fails. For commands, not for a library in another program.

    Streams that were replaced before, as by a test, are left as they are.
    """
    sys.stdout = _guarded(sys.stdout, sys.__stdout__, _STDOUT)
    sys.stderr = _guarded(sys.stderr, sys.__stderr__, _STDERR)


def exit_code(status: int) -> int:
    """The exit code of a command that ends with `status`: 2 instead of 0 where its output could not be written."""
    out = sys.stdout
    try:
        out.flush()
    except (OSError, ValueError):
        return status or EXIT_USAGE
    raw = getattr(getattr(out, "buffer", None), "raw", None)
    if not isinstance(raw, _GuardedFile) or raw.fault is None:
        return status
    if isinstance(raw.fault, BrokenPipeError):
        return status
    reason = raw.fault.strerror or raw.fault
    sys.stderr.write(f"error: stdout: cannot be written ({reason}); output is lost\n")
    return EXIT_USAGE if status == EXIT_OK else status


def _guarded(stream: TextIO | None, original: TextIO | None, number: int) -> TextIO:
    if stream is None:
        _occupy(number)
        return _wrapped(number, "utf-8", line_buffering=number == _STDERR)
    if stream is not original:
        return stream
    stream.flush()
    lines = number == _STDERR or stream.isatty()
    return _wrapped(stream.fileno(), stream.encoding, line_buffering=lines)


def _occupy(number: int) -> None:
    """Keep a closed descriptor from being given to the next file that is opened: every write to it fails."""
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, number)
        if null != number:
            os.close(null)


def _wrapped(number: int, encoding: str, *, line_buffering: bool) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(_GuardedFile(number, "w", closefd=False)),
        encoding=encoding,
        errors="backslashreplace",
        line_buffering=line_buffering,
    )
