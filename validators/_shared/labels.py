"""Labelled text: `Name: value` lines, headings and Markdown tables, found in answers that need not be JSON.

The text is read once into an index from folded label to places; what stands at a place is worked out when somebody
asks for that label.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import Final

from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import compact, fold_name, plain

_PREFIX = re.compile(
    r"(?:>\s*)*(?:[-*+\u2022\u25aa\u25e6]\s+|\(?(?:\d{1,3}|[A-Za-z])[.)]\s+)?"
)
_SEPARATOR = re.compile(r"[:=\t]|\s[-\u2013\u2014]\s")
_RULE: Final = frozenset("|:- \t")
_UNDERLINE: Final = frozenset("=- \t")
_DECORATION: Final = " \t*_`\"'~,"
_MAX_LABEL: Final = 120
_MAX_HEADING: Final = 60
_MAX_KEPT: Final = 65_536
_MAX_SECTION_LINES: Final = 500
_BOLD_LEVEL: Final = 7
_PLAIN_LEVEL: Final = 8


class _Form(Enum):
    LABEL = "label"
    HEADING = "heading"
    COLUMN = "column"
    ROW = "row"


_Entry = tuple[_Form, int, int]
"""Form, line index, and: offset of the value (label), level (heading), column (column)."""


class Labels:
    """The labels of one text."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _plain(self) -> str:
        return plain(self._text)

    @cached_property
    def _lines(self) -> list[str]:
        return self._plain.split("\n")

    @cached_property
    def _compact(self) -> str:
        """The text without case and separators: every label of it is a part of this."""
        return compact(self._plain)

    @cached_property
    def _index(self) -> dict[str, list[_Entry]]:
        index: dict[str, list[_Entry]] = {}
        for number, line in enumerate(self._lines):
            for label, entry in _entries(self._lines, number, line):
                folded = fold_name(label)
                if folded:
                    index.setdefault(folded, []).append(entry)
        return index

    def values(self, folded: str) -> Iterator[tuple[int, str]]:
        """Line number (from 1) and text of every value that stands under the label, in the order of the text."""
        if folded not in self._compact:
            # Searching is much cheaper than reading line by line.
            return
        for form, line, detail in self._index.get(folded, ()):
            for value_line, value in _READERS[form](self._lines, line, detail):
                yield value_line + 1, value


_kept: ByIdentity[str, Labels] = ByIdentity(Labels, size=16)


def labels_of(text: str) -> Labels:
    """The labels of a text, read once although several validators ask for them; large texts are not kept."""
    return _kept(text) if len(text) <= _MAX_KEPT else Labels(text)


def _entries(lines: list[str], number: int, line: str) -> Iterable[tuple[str, _Entry]]:
    stripped = line.strip()
    if not stripped:
        return ()
    separator = _SEPARATOR.search(line, 0, _MAX_LABEL)
    if (
        separator is None
        and len(stripped) > _MAX_HEADING
        and stripped[0] != "#"
        and "|" not in stripped
    ):
        # Most lines are prose.
        return ()
    return _marked(lines, number, line, stripped)


def _marked(
    lines: list[str], number: int, line: str, stripped: str
) -> Iterator[tuple[str, _Entry]]:
    """The labels of a line that may hold one."""
    if stripped[0] == "#":
        title = stripped.lstrip("#")
        level = min(len(stripped) - len(title), 6)
        title = title.strip().rstrip("#").strip()
        yield _bare(title).rstrip(":"), (_Form.HEADING, number, level)
    elif "|" in stripped:
        yield from _table_entries(lines, number, stripped)
    head = line[:_MAX_LABEL]
    prefix = _PREFIX.match(head, len(head) - len(head.lstrip()))
    start = prefix.end() if prefix else 0
    separator = _SEPARATOR.search(head, start)
    if separator is not None:
        yield from _label_names(
            head[start : separator.start()], (_Form.LABEL, number, separator.end())
        )
    elif len(stripped) <= _MAX_HEADING and stripped[0] not in "#|":
        bold = stripped.startswith(("**", "__")) and stripped.endswith(("**", "__"))
        yield (
            _bare(head[start:]),
            (_Form.HEADING, number, _BOLD_LEVEL if bold else _PLAIN_LEVEL),
        )


def _label_names(label: str, entry: _Entry) -> Iterator[tuple[str, _Entry]]:
    name = _bare(label.lstrip("#"))
    yield name, entry
    if name.endswith(")") and "(" in name:
        # `Dose (mg): 5` and `Endpoint(s): PFS` label `dose` and `endpoint` too.
        yield name[: name.rindex("(")], entry


def _bare(text: str) -> str:
    """A label without list marker, enumeration and decoration."""
    prefix = _PREFIX.match(text)
    return text[prefix.end() if prefix else 0 :].strip(_DECORATION)


def _table_entries(
    lines: list[str], number: int, stripped: str
) -> Iterator[tuple[str, _Entry]]:
    if _is_rule(stripped):
        return
    cells = _cells(stripped)
    if number + 1 < len(lines) and _is_rule(lines[number + 1].strip()):
        for column, cell in enumerate(cells):
            yield from _label_names(cell, (_Form.COLUMN, number, column))
    elif cells:
        yield from _label_names(cells[0], (_Form.ROW, number, 0))


def _is_rule(stripped: str) -> bool:
    return "-" in stripped and "|" in stripped and _RULE.issuperset(stripped)


def _cells(row: str) -> list[str]:
    inner = row.replace("\\|", "\u00a6").strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in inner.split("|")]


def _read_label(
    lines: list[str], number: int, offset: int
) -> Iterator[tuple[int, str]]:
    value = lines[number][offset:].strip(_DECORATION)
    if value:
        yield number, value
        return
    # `Name:` with its value below: on an indented line, in a list, or in a line that carries no label of its own.
    below = _next_text(lines, number + 1)
    if below is None:
        return
    line = lines[below]
    deeper = _indent(line) > _indent(lines[number]) or (
        _is_item(line) and not _is_item(lines[number])
    )
    if not _is_heading(line) and (deeper or not _has_label(line)):
        yield below, line.strip()


def _read_heading(
    lines: list[str], number: int, level: int
) -> Iterator[tuple[int, str]]:
    for index in range(number + 1, min(len(lines), number + 1 + _MAX_SECTION_LINES)):
        line = lines[index].strip()
        if not line or _UNDERLINE.issuperset(line) or _is_rule(line):
            continue
        if line[0] == "#":
            if len(line) - len(line.lstrip("#")) <= level:
                return
            continue
        if level >= _BOLD_LEVEL and line.startswith("**") and line.endswith("**"):
            return
        yield index, line
        if level >= _PLAIN_LEVEL:
            return


def _read_column(
    lines: list[str], number: int, column: int
) -> Iterator[tuple[int, str]]:
    for index in range(number + 2, len(lines)):
        if "|" not in lines[index]:
            return
        cells = _cells(lines[index].strip())
        value = cells[column].strip(_DECORATION) if column < len(cells) else ""
        if value:
            yield index, value


def _read_row(lines: list[str], number: int, _detail: int) -> Iterator[tuple[int, str]]:
    for cell in _cells(lines[number].strip())[1:]:
        value = cell.strip(_DECORATION)
        if value:
            yield number, value


_READERS: Final[
    dict[_Form, Callable[[list[str], int, int], Iterator[tuple[int, str]]]]
] = {
    _Form.LABEL: _read_label,
    _Form.HEADING: _read_heading,
    _Form.COLUMN: _read_column,
    _Form.ROW: _read_row,
}


def _next_text(lines: list[str], start: int) -> int | None:
    return next(
        (
            index
            for index in range(start, min(len(lines), start + 3))
            if lines[index].strip()
        ),
        None,
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_item(line: str) -> bool:
    stripped = line.lstrip()
    prefix = _PREFIX.match(stripped)
    return prefix is not None and prefix.end() > 0


def _is_heading(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith("#") or (
        stripped.startswith("**") and stripped.endswith("**")
    )


def _has_label(line: str) -> bool:
    return _SEPARATOR.search(line[:_MAX_LABEL]) is not None
