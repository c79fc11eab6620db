"""Read a file whole, up to the limit of its kind."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from judgemesh.mesh.inputs.files.limits import FileLimit, in_words, too_many_values
from judgemesh.mesh.inputs.files.opening import FileRefused, open_below, open_file
from judgemesh.mesh.inputs.files.unpacking import (
    GZIP,
    UNPACK_FAULTS,
    gunzipped,
    why_damaged,
)


def read_file(path: Path, limit: FileLimit) -> bytes:
    """The content of a file that the user names.

    Raises:
        FileRefused: it is no regular file, is larger than the limit, or changes while it is read.
        OSError: it is missing or may not be read.
    """
    with open_file(path) as stream:
        return _whole(stream, path, limit)


def read_text_file(path: Path, limit: FileLimit) -> str:
    """The UTF-8 text of a file that the user names; a byte order mark is left out.

    Raises:
        OSError: as `read_file`.
        UnicodeDecodeError: it is no UTF-8 text.
    """
    return read_file(path, limit).decode("utf-8-sig")


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a text file cannot be read, and how to mend it where its encoding is the reason."""
    if isinstance(error, UnicodeDecodeError):
        return (
            f"not UTF-8 (byte {error.start + 1}): convert the file, for example from Latin-1 "
            "with `iconv -f WINDOWS-1252 -t UTF-8`"
        )
    return f"cannot be read: {error.strerror or error}"


def read_below(folder: Path, reference: str, limit: FileLimit) -> bytes:
    """The content of a file that a result names, by its path from the folder of the results.

    Raises:
        OSError: as `read_file`, or the path is none that a result may name.
    """
    with open_below(folder, reference) as stream:
        return _whole(stream, reference, limit)


@contextmanager
def opened_unpacked(path: Path) -> Generator[BinaryIO]:
    """A file to be read in pieces; gzip is known by its content, whatever the suffix, and unpacked.

    Raises:
        FileRefused: it is no regular file, or compressed and damaged.
        OSError: it is missing or may not be read.
    """
    with open_file(path) as stream:
        is_gzip = stream.read(len(GZIP)) == GZIP
        stream.seek(0)
        if not is_gzip:
            yield stream
            return
        with gunzipped(stream, path) as unpacked:
            yield unpacked


def _whole(stream: BinaryIO, path: Path | str, limit: FileLimit) -> bytes:
    before = os.fstat(stream.fileno())
    if before.st_size > limit.max_bytes:
        raise FileRefused(f"is larger than {in_words(limit.max_bytes)}", path)
    content = stream.read(limit.max_bytes + 1)
    after = os.fstat(stream.fileno())
    changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    if changed or len(content) != after.st_size:
        # Also a file of `/proc`, which has no size.
        raise FileRefused("changed while it was read", path)
    return content


def read_stream(stream: BinaryIO, name: Path | str, limit: FileLimit) -> bytes:
    """The rest of a stream that may be unpacked while it is read.

    Raises:
        FileRefused: it is larger than the limit, or damaged.
    """
    try:
        content = stream.read(limit.max_bytes + 1)
    except UNPACK_FAULTS as error:
        raise FileRefused(why_damaged(error), name) from None
    if len(content) > limit.max_bytes:
        raise FileRefused(f"is larger than {in_words(limit.max_bytes)}", name)
    return content


def check_values(data: bytes, name: Path | str, limit: FileLimit) -> bytes:
    """The JSON text, if its values fit into memory.

    Raises:
        FileRefused: it has more values than the limit.
    """
    if too_many_values(data, limit):
        raise FileRefused(f"holds more than {limit.max_values:,} values", name)
    return data
