"""Rows out of files that people and tools write: JSON Lines, or CSV by its suffix; a fault names file and line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ResultError

Row = Mapping[str, Any]

_LONGEST: Final = 60


def rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The objects of a `.jsonl` file, or the lines of a `.csv` file, with their line numbers; blank lines are passed.

    Cells of a CSV file are text; an empty cell is None.

    Raises:
        ResultError: the file cannot be read, or a line is none; it names the line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultError(
            f"cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    yield from (
        _table(path, data) if path.suffix.lower() == ".csv" else _objects(path, data)
    )


def _objects(path: Path, data: bytes) -> Iterator[tuple[int, Row]]:
    import jiter

    for number, line in enumerate(
        data.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1
    ):
        if not line.strip():
            continue
        try:
            row: Any = jiter.from_json(
                line, allow_inf_nan=False, catch_duplicate_keys=True
            )
        except ValueError as error:
            raise ResultError(
                f"is no JSON: {error}", where=f"{path}:{number}"
            ) from None
        if not isinstance(row, dict):
            raise ResultError("expected an object", where=f"{path}:{number}")
        yield number, cast("dict[str, Any]", row)


def _table(path: Path, data: bytes) -> Iterator[tuple[int, Row]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultError(
            f"byte {error.start} is not UTF-8 text", where=str(path)
        ) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            cells = cast("dict[str | None, str | None]", row)
            if None in cells:
                raise ResultError(
                    "has more cells than the first line",
                    where=f"{path}:{reader.line_num}",
                )
            yield (
                reader.line_num,
                {str(key): (cell or "").strip() or None for key, cell in cells.items()},
            )
    except csv.Error as error:
        raise ResultError(
            f"is no CSV: {error}", where=f"{path}:{reader.line_num}"
        ) from None


def known_keys(row: Row, known: Iterable[str]) -> None:
    """Refuse a key that nobody reads.

    Raises:
        ValueError: it names the key, and the nearest known one.
    """
    names = list(known)
    unknown = next((key for key in row if key not in names), None)
    if unknown is not None:
        near = get_close_matches(unknown, names, n=1)
        raise ValueError(
            f"unknown key {unknown!r}; "
            + (f"did you mean {near[0]!r}?" if near else listed(names))
        )


def listed(names: Iterable[str]) -> str:
    """`expected a, b or c`."""
    *most, last = names
    return f"expected {', '.join(most)} or {last}" if most else f"expected {last}"


def text_of(row: Row, key: str, otherwise: str) -> str:
    """A text or number as text, which is what an id is.

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
    """A finite number between two ends.

    Raises:
        ValueError: it is none.
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not least <= value <= most
    ):
        raise ValueError(
            f"{name}: expected a number from {least:g} to {most:g}, got {shown(value)}"
        )
    return value


def shown(value: object) -> str:
    """A value for an error line, cut short."""
    try:
        text = repr(value)
    except (
        ValueError,
        RecursionError,
    ):  # a number of more digits than Python writes out
        return "a very large number"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
