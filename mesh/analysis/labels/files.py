"""Files of labels, JSONL or CSV: written for people, and read back line by line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.text.printable_json import printable_json
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import read_text_file, unreadable
from judgemesh.mesh.inputs.replaceable import check_replaceable, write_replaceable

LINE_KEYS: Final = (
    "rank",
    "result_id",
    "task_id",
    "question_id",
    "question",
    "gating",
    "priority",
    "run_id",
    "validator_name",
    "label",
    "labeler",
    "note",
    "drawn",
)
"""The keys of an exported question."""
SHOWN_KEYS: Final = ("answer", "outputs", "trace")
"""The keys of what a person reads to answer it, where the results are given."""
VERDICT_KEYS: Final = ("verdict", "reason")
"""The keys of its verdict, where it is exported too."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_SUFFIXES: Final = (".jsonl", ".csv")


def check_suffix(path: Path) -> None:
    """Raise ConfigError unless it is .jsonl or .csv."""
    if path.suffix not in _SUFFIXES:
        raise ConfigError(
            "cannot tell the format from the name",
            where=str(path),
            hint="expected .jsonl or .csv",
        )


def write_lines(
    path: Path, lines: Sequence[Mapping[str, object]], *, with_verdict: bool
) -> None:
    """Write exported questions.

    Raises:
        ConfigError: the file is there and holds something else, or cannot be written.
    """
    kind = f"questions{path.suffix}"
    check_replaceable(path, kind)
    if path.suffix == ".jsonl":
        text = "".join(printable_json(line) + "\n" for line in lines)
    else:
        table = io.StringIO()
        keys = [*LINE_KEYS, *VERDICT_KEYS] if with_verdict else [*LINE_KEYS]
        if any(key in line for line in lines for key in SHOWN_KEYS):
            keys += SHOWN_KEYS
        writer = csv.DictWriter(table, keys)
        writer.writeheader()
        for line in lines:
            writer.writerow({key: _cell(value) for key, value in line.items()})
        text = table.getvalue()
    write_replaceable(path, text, kind)


def read_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The lines of a file with their numbers; a text says why a line cannot be read.

    Raises:
        ConfigError: another suffix, or the file cannot be read.
    """
    check_suffix(path)
    try:
        text = read_text_file(path, TABLE)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(unreadable(error), where=str(path)) from error
    if path.suffix == ".csv":
        yield from _cells(text)
        return
    # Only at newlines: text in JSON may hold other line separators.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _object(line)


def plain_text(cell: object) -> str:
    """A cell as text, without the quote that keeps a spreadsheet from running it."""
    text = str(cell).strip()
    quoted = text.removeprefix("'")
    return quoted if quoted.startswith(_FORMULA) else text


def _cells(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            more = cast("dict[str | None, Any]", row).pop(None, None)
            yield reader.line_num, "has more cells than the first line" if more else row
    except csv.Error as error:
        yield reader.line_num + 1, f"is no CSV: {error}"


def _object(line: str) -> Mapping[str, Any] | str:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"is no JSON: {error}"
    if not isinstance(data, dict):
        return "must be an object"
    return cast("dict[str, Any]", data)


def _cell(value: object) -> object:
    """Quote text that a spreadsheet would run as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
