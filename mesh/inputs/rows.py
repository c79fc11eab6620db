"""Rows of JSON Lines or CSV files that people and tools write; a fault names file and line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ResultError
from judgemesh.contracts.text.spelling import nearest
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.not_lines import why_not_lines
from judgemesh.mesh.inputs.files.reading import read_file, unreadable
from judgemesh.mesh.inputs.strict_json import from_json

Row = Mapping[str, Any]

_BOM: Final = b"\xef\xbb\xbf"
_MAX_SHOWN_CHARS: Final = 60


def rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The objects of a `.jsonl` file, or the lines of a `.csv` file, with their line numbers; blank lines are skipped.

    Cells of a CSV file are text; an empty cell is None.

    Raises:
        ResultError: the file cannot be read, or a line cannot be used; it names the line.
    """
    try:
        data = read_file(path, TABLE)
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise ResultError(message, where=str(path)) from None
    read = _table if path.suffix.lower() == ".csv" else _objects
    yield from read(path, data)


def _objects(path: Path, data: bytes) -> Iterator[tuple[int, Row]]:
    lines = data.removeprefix(_BOM).splitlines()
    reason = why_not_lines(*lines[:2]) if lines else ""
    if reason:
        raise ResultError(f"is {reason}", where=str(path))
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        row: Any
        try:
            row = from_json(line)
        except ValueError as error:
            raise ResultError(f"is no JSON: {error}", where=where) from None
        if not isinstance(row, dict):
            raise ResultError("expected an object", where=where)
        yield number, cast("dict[str, Any]", row)


def _table(path: Path, data: bytes) -> Iterator[tuple[int, Row]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultError(unreadable(error), where=str(path)) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for cells in reader:
            row = cast("dict[str | None, str | None]", cells)
            if None in row:
                where = f"{path}:{reader.line_num}"
                raise ResultError("has more cells than the first line", where=where)
            yield reader.line_num, {str(name): _cell(row[name]) for name in row}
    except csv.Error as error:
        where = f"{path}:{reader.line_num}"
        raise ResultError(f"is no CSV: {error}", where=where) from None


def _cell(text: str | None) -> str | None:
    return (text or "").strip() or None


def known_keys(row: Row, known: Iterable[str]) -> None:
    """Refuse a key that is not known.

    Raises:
        ValueError: it names the key, and the nearest known one.
    """
    names = list(known)
    for key in row:
        if key not in names:
            near = nearest(key, names)
            hint = f"did you mean {near!r}?" if near else listed(names)
            raise ValueError(f"unknown key {key!r}; {hint}")


def listed(names: Iterable[str]) -> str:
    """`expected a, b or c`."""
    *others, last = names
    return f"expected {', '.join(others)} or {last}" if others else f"expected {last}"


def text_of(row: Row, key: str, otherwise: str) -> str:
    """A text or a number of a row as text, which is what an id is; `otherwise` where it is missing.

    Raises:
        ValueError: it is something else.
    """
    value = row.get(key)
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ValueError(f"{key}: expected text, got {shown(value)}")
    return value if isinstance(value, str) else shown(value)


def number_of(value: Any, name: str, *, least: float, most: float) -> float:
    """A finite number from `least` to `most`.

    Raises:
        ValueError: it is none.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        raise ValueError(
            f"{name}: expected a number from {least:g} to {most:g}, got {shown(value)}"
        )
    return cast("float", value)


def shown(value: object) -> str:
    """A value for an error line, cut short."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer may have too many digits to print
        return "a very large number"
    more = "..." if len(text) > _MAX_SHOWN_CHARS else ""
    return text[:_MAX_SHOWN_CHARS] + more
