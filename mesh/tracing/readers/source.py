"""A file to read a trace from: its beginning, to know the format by, and its bytes, unpacked."""

from __future__ import annotations

import gzip
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from judgemesh.contracts.errors import InputError

HEAD_BYTES: Final = 2**18
_NAMES: Final = re.compile(rb'"([^"\\]{1,64})"\s*:')
_NAMED_BYTES: Final = 2**12
_GZIP: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"


class FileHead:
    """The beginning of a file's content."""

    def __init__(self, data: bytes) -> None:
        """`data`: the first bytes, unpacked; all of a small file."""
        self.data = data.removeprefix(_BOM)

    @property
    def is_zip(self) -> bool:
        """Whether it is a zip archive."""
        return self.data.startswith(b"PK\x03\x04")

    @cached_property
    def is_lines(self) -> bool:
        """Whether each line seems to be a document of its own: the first line is an object that ends with the line."""
        lines = [line.strip() for line in self.data.split(b"\n", 2) if line.strip()]
        if not lines or not lines[0].startswith(b"{"):
            return False
        return (len(lines) > 1 and lines[1].startswith(b"{")) or (
            len(lines[0]) > 1 and _parsed(lines[0]) is not None
        )

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The first object, or the first object of a list, as far as it stands here; empty when there is none."""
        value = None
        if self.is_lines:
            lines = (line for line in self.data.splitlines() if line.strip())
            value = next(
                (parsed for line in lines if (parsed := _parsed(line)) is not None),
                None,
            )
        if value is None:
            value = _parsed(self.data, partial=True)
        if isinstance(value, list):
            value = next(iter(cast("list[Any]", value)), None)
        if (
            value is None
        ):  # broken here already; its names still tell what it was meant to be
            return dict.fromkeys(
                name.decode(errors="replace")
                for name in _NAMES.findall(self.data[:_NAMED_BYTES])
            )
        return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}

    def has(self, *keys: str) -> bool:
        """Whether the first object has all of these keys."""
        return self.first.keys() >= set(keys)


def _parsed(data: bytes, *, partial: bool = False) -> object:
    import jiter

    try:
        return jiter.from_json(
            data, partial_mode="trailing-strings" if partial else False
        )
    except ValueError:
        return None


@dataclass(frozen=True)
class TraceFile:
    """A file; gzip is unpacked by its content, whatever the suffix."""

    path: Path

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.path)

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """Its unpacked bytes.

        Raises:
            InputError: it cannot be opened, or is damaged.
        """
        try:
            with self.path.open("rb") as stream:
                packed = stream.read(len(_GZIP)) == _GZIP
                stream.seek(0)
                yield (
                    cast("BinaryIO", gzip.GzipFile(fileobj=stream))
                    if packed
                    else stream
                )
        except (OSError, EOFError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            raise InputError(f"cannot be read: {reason}", where=self.name) from None

    @cached_property
    def head(self) -> FileHead:
        """Its beginning."""
        with self.opened() as stream:
            return FileHead(stream.read(HEAD_BYTES))
