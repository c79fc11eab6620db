"""An entry of a zip archive, unpacked in bounded memory; zstd (method 93) included.

Python's `zipfile` unpacks zstd from 3.14 on. Before, the package `backports.zstd` does.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from importlib import import_module
from typing import IO, Any, BinaryIO, Final

from judgemesh.mesh.inputs.files.limits import (
    ARCHIVE_ENTRY,
    FREE_BYTES,
    MAX_RATIO,
    FileLimit,
    in_words,
    too_many_values,
)
from judgemesh.mesh.inputs.files.opening import FileRefused

_CHUNK_BYTES: Final = 2**16
_ZSTD: Final = 93
_MAX_WINDOW_LOG: Final = 27
_LOCAL_HEADER: Final = struct.Struct("<4s2B4HL2L2H")
_LOCAL_MARK: Final = b"PK\x03\x04"
_INSTALL: Final = "pip install judgemesh[inspect]"


Archive = zipfile.ZipFile


class UnreadableEntryError(Exception):
    """What is wrong with an entry of an archive."""


class ArchiveTooLargeError(UnreadableEntryError):
    """It unpacks to more than is read: that says nothing about what it holds."""


def opened_archive(stream: BinaryIO) -> Archive:
    """The zip archive in a stream, which is closed with it. Read its entries with `entry_bytes`.

    Raises:
        FileRefused: it is no archive.
    """
    try:
        return _OwnStream(stream)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        stream.close()
        raise FileRefused(f"is a damaged archive: {error}", "") from None


class _OwnStream(zipfile.ZipFile):
    """An archive that closes its stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._own = stream
        super().__init__(stream)

    def close(self) -> None:
        super().close()
        self._own.close()


def check_archive(data: bytes, limit: FileLimit) -> None:
    """See to it that an archive unpacks to what its parts declare, and to no more than the limit.

    Every part is unpacked once, in pieces that are thrown away, because a part may hold more than it declares.

    Raises:
        UnreadableEntryError: it is no archive, or a part is damaged.
        ArchiveTooLargeError: it unpacks to more than the limit, or to more than 200 times its size.
    """
    most = min(limit.max_bytes, max(FREE_BYTES, MAX_RATIO * len(data)))
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > most:
                total = most + 1
            for entry in entries:
                for chunk in _chunks(archive, entry):
                    if total > most:
                        break
                    total += len(chunk)
    except Exception as error:  # zlib, lzma and zstd raise errors of their own
        raise UnreadableEntryError(str(error) or type(error).__name__) from error
    if total > most:
        raise ArchiveTooLargeError(f"unpacks to more than {most // 2**20} MiB")


def entry_bytes(archive: zipfile.ZipFile, name: str) -> bytes:
    """The unpacked bytes of an entry.

    Raises:
        UnreadableEntryError: it is damaged, too large, or packed with a method that
            cannot be unpacked here.
    """
    entry = archive.getinfo(name)
    _check_size(entry.file_size, entry.compress_size)
    unpacked = bytearray()
    try:
        for chunk in _chunks(archive, entry):
            unpacked += chunk
            _check_size(len(unpacked), entry.compress_size)
    except UnreadableEntryError:
        raise
    except (ValueError, zipfile.BadZipFile, OSError, EOFError) as error:
        reason = str(error) or type(error).__name__
        raise UnreadableEntryError(f"not readable: {reason}") from error
    except NotImplementedError as error:
        raise UnreadableEntryError(
            f"packed with a method that this Python cannot unpack: {error}"
        ) from error
    except Exception as error:  # zlib, lzma and zstd raise errors of their own
        raise UnreadableEntryError(f"damaged: {error}") from error
    data = bytes(unpacked)
    if too_many_values(data, ARCHIVE_ENTRY):
        raise UnreadableEntryError(
            f"holds more than {ARCHIVE_ENTRY.max_values:,} values"
        )
    return data


def _check_size(size: int, packed: int) -> None:
    if size > ARCHIVE_ENTRY.max_bytes:
        raise UnreadableEntryError(
            f"is longer than {in_words(ARCHIVE_ENTRY.max_bytes)}"
        )
    if size > FREE_BYTES and size > MAX_RATIO * max(1, packed):
        raise UnreadableEntryError(
            f"unpacks to more than {MAX_RATIO} times its size: it is no log"
        )


def _chunks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    if entry.compress_type == _ZSTD:
        yield from _zstd_chunks(archive, entry)
        return
    with archive.open(entry) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk


def _zstd_chunks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    zstd = _zstd()
    options = {zstd.DecompressionParameter.window_log_max: _MAX_WINDOW_LOG}
    unpacker = zstd.ZstdDecompressor(options=options)
    for data in _packed(archive, entry):
        waiting = data
        while True:
            if unpacker.eof:  # an entry may be several frames
                unpacker = zstd.ZstdDecompressor(options=options)
            chunk = unpacker.decompress(waiting, max_length=_CHUNK_BYTES)
            if chunk:
                yield chunk
            waiting = unpacker.unused_data if unpacker.eof else b""
            if not waiting and (unpacker.eof or unpacker.needs_input):
                break
    if not unpacker.eof:
        raise EOFError("the packed data ends early")


def _zstd() -> Any:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise UnreadableEntryError(f"is packed with zstd; {_INSTALL} to read it")


def _packed(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """The packed bytes of an entry, as they stand in the file."""
    stream = archive.fp
    if stream is None:
        raise OSError("the archive is closed")
    stream.seek(entry.header_offset)
    header = stream.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or header[:4] != _LOCAL_MARK:
        raise zipfile.BadZipFile("the header of the entry is damaged")
    *_, name_size, extra_size = _LOCAL_HEADER.unpack(header)
    stream.seek(name_size + extra_size, 1)
    yield from _read(stream, entry.compress_size)


def _read(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0:
        data = stream.read(min(size, _CHUNK_BYTES))
        if not data:
            raise EOFError("the file ends early")
        size -= len(data)
        yield data
