"""An entry of a zip archive, unpacked in bounded memory; zstd (method 93) included.

Python's `zipfile` unpacks zstd from 3.14 on. Before, the package `backports.zstd` does.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO, Final

MAX_ENTRY_BYTES: Final = 2**28
"""The largest entry that is read, unpacked: an archive can claim any size."""
_FREE_BYTES: Final = 2**25
_MAX_RATIO: Final = 500
"""Above `_FREE_BYTES`: how many times larger than packed an entry may be."""
_CHUNK_BYTES: Final = 2**16
_ZSTD: Final = 93
_MAX_WINDOW_LOG: Final = 27
_LOCAL_HEADER: Final = struct.Struct("<4s2B4HL2L2H")
_LOCAL_MARK: Final = b"PK\x03\x04"
_INSTALL: Final = "pip install judgemesh[inspect]"


class UnreadableEntryError(Exception):
    """What is wrong with an entry of an archive."""


def entry_bytes(archive: zipfile.ZipFile, name: str) -> bytes:
    """The unpacked bytes of an entry.

    Raises:
        UnreadableEntryError: it is damaged, too large, or packed with a method that
            cannot be unpacked here.
    """
    entry = archive.getinfo(name)
    most = MAX_ENTRY_BYTES
    if entry.file_size > most:
        raise UnreadableEntryError(f"is longer than {most >> 20} MiB")
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
    return bytes(unpacked)


def _check_size(size: int, packed: int) -> None:
    if size > MAX_ENTRY_BYTES:
        raise UnreadableEntryError(f"is longer than {MAX_ENTRY_BYTES >> 20} MiB")
    if size > _FREE_BYTES and size > _MAX_RATIO * max(1, packed):
        raise UnreadableEntryError(
            f"unpacks to more than {_MAX_RATIO} times its size: it is no log"
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
    if not isinstance(archive.filename, str):
        raise OSError("the archive is no file")
    with open(archive.filename, "rb") as stream:  # noqa: PTH123 (a name, as zipfile has it)
        stream.seek(entry.header_offset)
        header = stream.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or header[:4] != _LOCAL_MARK:
            raise zipfile.BadZipFile("the header of the entry is damaged")
        *_, name_size, extra_size = _LOCAL_HEADER.unpack(header)
        stream.seek(name_size + extra_size, 1)
        yield from _read(stream, entry.compress_size)


def _read(stream: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0:
        data = stream.read(min(size, _CHUNK_BYTES))
        if not data:
            raise EOFError("the file ends early")
        size -= len(data)
        yield data
