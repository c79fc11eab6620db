"""A file to read a trace from: its beginning, by which the format is known, and its bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.inputs.files.opening import open_file
from judgemesh.mesh.inputs.files.unpacking import GZIP, gunzipped
from judgemesh.mesh.tracing.spans.json_values import is_object, list_of

HEAD_BYTES: Final = 2**18
_NAME: Final = re.compile(rb'"([^"\\]{1,64})"\s*:')
_NAMES_BYTES: Final = 2**12
_ZIP: Final = b"PK\x03\x04"
_BOM: Final = b"\xef\xbb\xbf"


class FileHead:
    """The beginning of a file's content."""

    def __init__(self, data: bytes) -> None:
        """`data`: the first bytes, unpacked; all of a small file."""
        self.data = data.removeprefix(_BOM)

    @property
    def is_zip(self) -> bool:
        """Whether it is a zip archive."""
        return self.data.startswith(_ZIP)

    @cached_property
    def is_lines(self) -> bool:
        """Whether each line seems to be a document of its own.

        The first line is an object that ends with the line.
        """
        lines = [line.strip() for line in self.data.split(b"\n", 2) if line.strip()]
        if not lines or not lines[0].startswith(b"{"):
            return False
        if len(lines) > 1 and lines[1].startswith(b"{"):
            return True
        return len(lines[0]) > 1 and _parsed(lines[0]) is not None

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The first object, or the first object of a list, as far as it is in the head.

        Empty when there is none.
        """
        value = self._first_line() if self.is_lines else None
        if value is None:
            value = _parsed(self.data, cut_off=True)
        if isinstance(value, list):
            value = next(iter(list_of(cast("object", value))), None)
        if value is None:
            return self._names()
        return cast("Mapping[str, Any]", value) if is_object(value) else {}

    def _first_line(self) -> object:
        for line in self.data.splitlines():
            value = _parsed(line) if line.strip() else None
            if value is not None:
                return value
        return None

    def _names(self) -> Mapping[str, Any]:
        """The names in invalid JSON: they still tell which format it was meant to be."""
        names = _NAME.findall(self.data[:_NAMES_BYTES])
        return dict.fromkeys(name.decode(errors="replace") for name in names)

    def has(self, *keys: str) -> bool:
        """Whether the first object has all of these keys."""
        return self.first.keys() >= set(keys)


def _parsed(data: bytes, *, cut_off: bool = False) -> object:
    """JSON data, or None. jiter is the parser that can read a document that is cut off."""
    import jiter

    try:
        if cut_off:
            return jiter.from_json(data, partial_mode="trailing-strings")
        return jiter.from_json(data)
    except ValueError:
        return None


@dataclass(frozen=True)
class TraceFile:
    """A file. Gzip is known by its content, whatever the suffix, and unpacked.

    keeps_content: whether spans keep what was said and called. A bill does without it.
    """

    path: Path
    keeps_content: bool = False

    @property
    def name(self) -> str:
        """Its name in messages."""
        return str(self.path)

    def packed(self) -> BinaryIO:
        """Its bytes as they are stored.

        Raises:
            OSError: it is missing, no regular file, or may not be read.
        """
        return open_file(self.path)

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """Its unpacked bytes.

        Raises:
            InputError: it cannot be opened, or is damaged.
        """
        try:
            with self.packed() as stream:
                is_gzip = stream.read(len(GZIP)) == GZIP
                stream.seek(0)
                if is_gzip:
                    with gunzipped(stream, self.path) as unpacked:
                        yield unpacked
                else:
                    yield stream
        except OSError as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot be read: {reason}", where=self.name) from None

    @cached_property
    def head(self) -> FileHead:
        """Its beginning."""
        with self.opened() as stream:
            return FileHead(stream.read(HEAD_BYTES))


@dataclass(frozen=True)
class TraceBytes(TraceFile):
    """The content of a file that is in memory."""

    data: bytes = b""

    def packed(self) -> BinaryIO:
        """The bytes."""
        return BytesIO(self.data)


def trace_values(name: str, values: Sequence[Any]) -> TraceBytes:
    """JSON values that are in memory, as a source: one document, or one a line."""
    lines = (json.dumps(value, default=str).encode() for value in values)
    return TraceBytes(Path(name), keeps_content=True, data=b"\n".join(lines))
